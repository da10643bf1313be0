#include "serve/slice_links.h"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

constexpr size_t kMostLinks = 200;

bool AnyKind(Kind) { return true; }

class Collector {
 public:
  Collector(const Trace& trace, const Links& links, uint32_t row)
      : trace_(trace), links_(links), row_(row) {}

  std::vector<SliceLink> Run() && {
    const Kind kind = trace_.slices.kind[row_];
    const uint32_t args = trace_.slices.args[row_];
    if (IsDeviceWork(kind) && args != kNoRow) OfDeviceWork(args);
    if (kind == Kind::kCall) OfCall(args);
    if (kind == Kind::kOp) OfOp();
    OfFlows();
    return std::move(found_);
  }

 private:
  void Add(std::string_view relation, SliceId slice) {
    if (slice == kNoSlice || slice == SliceId{row_}) return;
    const bool known = std::ranges::any_of(
        found_, [&](const SliceLink& link) { return link.slice == Index(slice); });
    if (!known) found_.push_back({relation, Index(slice)});
  }

  void OfDeviceWork(uint32_t args) {
    if (args < links_.launch_of.size()) Add("launched_by", links_.launch_of[args]);
    if (args < links_.op_of.size()) Add("op", links_.op_of[args]);
  }

  void OfCall(uint32_t args) {
    const auto call = std::ranges::lower_bound(links_.calls, SliceId{row_});
    if (call != links_.calls.end() && *call == SliceId{row_}) {
      const auto index = static_cast<size_t>(call - links_.calls.begin());
      for (uint32_t i = links_.first[index]; i < links_.first[index + 1]; ++i) {
        const uint32_t slice = trace_.device_args[links_.device_rows[i]].slice;
        if (slice != kNoRow) Add("launches", SliceId{slice});
      }
    }
    if (args != kNoRow && args < links_.op_of_call.size()) Add("op", links_.op_of_call[args]);
  }

  void OfOp() {
    for (const auto& [forward, backward] : links_.forward_backward) {
      if (forward == SliceId{row_}) Add("backward", backward);
      if (backward == SliceId{row_}) Add("forward", forward);
    }
  }

  SliceId SliceOf(const Flow& flow) const {
    return flow.track == kNoTrack ? kNoSlice : InnermostAt(trace_, flow.track, flow.time, AnyKind);
  }

  // Flows in the file that no other link explains.
  void OfFlows() {
    const TrackId track = trace_.TrackOf(row_);
    const TimeNs start = trace_.slices.start[row_];
    const TimeNs end = trace_.slices.end(row_);
    const auto first = std::ranges::lower_bound(trace_.flows, start, {}, &Flow::time);
    // Many flows pass during a long span; for a short span all are checked.
    constexpr ptrdiff_t kMostFlows = 4000;
    auto last = std::ranges::upper_bound(trace_.flows, end, {}, &Flow::time);
    last = std::min(last, first + std::min(kMostFlows, trace_.flows.end() - first));
    for (auto flow = first; flow < last && found_.size() < kMostLinks; ++flow) {
      if (flow->track == kNoTrack || !SameThread(flow->track, track)) continue;
      if (SliceOf(*flow) != SliceId{row_}) continue;
      for (const Flow& other : trace_.flows) {
        if (&other == &*flow || other.id != flow->id || other.name != flow->name) continue;
        Add(flow->phase == FlowPhase::kEnd ? "flow_from" : "flow_to", SliceOf(other));
      }
    }
  }

  bool SameThread(TrackId a, TrackId b) const {
    const Track& one = trace_.tracks[Index(a)];
    const Track& other = trace_.tracks[Index(b)];
    return one.process == other.process && one.key == other.key;
  }

  const Trace& trace_;
  const Links& links_;
  const uint32_t row_;
  std::vector<SliceLink> found_;
};

}  // namespace

std::vector<SliceLink> LinksOf(const Trace& trace, const Links& links, uint32_t row) {
  return Collector(trace, links, row).Run();
}

}  // namespace stepscope
