#include "analyze/ops/op_calls.h"

#include <algorithm>

namespace stepscope {
namespace {

// Finds the calls and, row by row, the innermost call of the kind that a slice is or is in.
class CallFinder {
 public:
  CallFinder(Kind kind, const Trace& trace) : kind_(kind), trace_(trace) {
    innermost_.assign(trace.slices.size(), kNoRow);
    open_of_name_.assign(trace.strings.size(), 0);
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::kStream) AddTrack(track.slices);
    }
  }

  std::vector<OpCall> TakeCalls() { return std::move(calls_); }
  // By slice: index of the innermost call that is the slice or contains it.
  const std::vector<uint32_t>& innermost() const { return innermost_; }

 private:
  void AddTrack(RowRange range) {
    const Slices& slices = trace_.slices;
    for (uint32_t i = range.first; i < range.last; ++i) {
      const SliceId up = slices.parent[i];
      const uint32_t parent = up == kNoSlice ? kNoRow : innermost_[Index(up)];
      if (slices.kind[i] != kind_) {
        innermost_[i] = parent;
        continue;
      }
      Close(parent);
      innermost_[i] = static_cast<uint32_t>(calls_.size());
      OpCall call;
      call.slice = i;
      call.parent = parent;
      call.outermost = open_of_name_[Index(slices.name[i])]++ == 0;
      if (parent != kNoRow) calls_[parent].host_children += slices.duration[i];
      open_.push_back(innermost_[i]);
      calls_.push_back(call);
    }
    Close(kNoRow);
  }

  // Leaves all open calls down to the parent.
  void Close(uint32_t parent) {
    while (!open_.empty() && open_.back() != parent) {
      --open_of_name_[Index(trace_.slices.name[calls_[open_.back()].slice])];
      open_.pop_back();
    }
  }

  Kind kind_;
  const Trace& trace_;
  std::vector<OpCall> calls_;
  std::vector<uint32_t> innermost_;
  std::vector<uint32_t> open_;          // calls around the slice at hand, outermost first
  std::vector<uint32_t> open_of_name_;  // by StringId
};

// The call of the kind that owns a piece of device work.
uint32_t OwnerOf(Kind kind, const Links& links, const std::vector<uint32_t>& innermost,
                 const Work& work) {
  if (work.row == kNoRow) return kNoRow;
  if (kind == Kind::kOp) {
    const SliceId op = links.op_of[work.row];
    return op == kNoSlice ? kNoRow : innermost[Index(op)];
  }
  const SliceId launch = links.launch_of[work.row];
  return launch == kNoSlice ? kNoRow : innermost[Index(launch)];
}

void AddDeviceWork(Kind kind, const Trace& trace, const Links& links, const DeviceWork& work,
                   const std::vector<uint32_t>& innermost, std::vector<OpCall>& calls) {
  const auto add = [&](const Work& item) {
    const uint32_t owner = OwnerOf(kind, links, innermost, item);
    if (owner == kNoRow) return;
    OpCall& call = calls[owner];
    const DurationNs time = item.end - item.start;
    call.device_self += time;
    if (trace.Traits(item.slice).tensor_core) call.tensor_core_self += time;
    // Work comes by start, so the union grows by what lies after all seen so far.
    const TimeNs from = call.launched == 0 ? item.start : std::max(item.start, call.covered);
    if (item.end > from) call.device_union += item.end - from;
    call.covered = call.launched == 0 ? item.end : std::max(call.covered, item.end);
    ++call.launched;
  };
  if (work.devices().size() <= 1) {
    for (const Work& item : work.all()) add(item);
    return;
  }
  std::vector<Work> by_start(work.all().begin(), work.all().end());
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const Work& a, const Work& b) { return a.start < b.start; });
  for (const Work& item : by_start) add(item);
}

// Runtime calls directly below an op; one inside another is part of it.
void SubtractRuntime(const Trace& trace, const Links& links, const std::vector<uint32_t>& innermost,
                     std::vector<OpCall>& calls) {
  const Slices& slices = trace.slices;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (slices.kind[i] != Kind::kCall) continue;
    const SliceId up = slices.parent[i];
    if (up != kNoSlice && slices.kind[Index(up)] == Kind::kCall) continue;
    uint32_t owner = innermost[i];
    if (owner == kNoRow && slices.args[i] != kNoRow) {  // on another lane of the thread
      const SliceId op = links.op_of_call[slices.args[i]];
      if (op != kNoSlice) owner = innermost[Index(op)];
    }
    if (owner != kNoRow) calls[owner].host_runtime += slices.duration[i];
  }
}

}  // namespace

std::vector<OpCall> CallsOf(Kind kind, const Trace& trace, const Links& links,
                            const DeviceWork& work) {
  CallFinder finder(kind, trace);
  std::vector<OpCall> calls = finder.TakeCalls();
  AddDeviceWork(kind, trace, links, work, finder.innermost(), calls);
  SubtractRuntime(trace, links, finder.innermost(), calls);
  for (OpCall& call : calls) {
    call.device_total = call.device_self;
    call.tensor_core_total = call.tensor_core_self;
  }
  // Children come after their parents, so from the back each total is complete when it is passed
  // up.
  for (size_t i = calls.size(); i-- > 0;) {
    if (calls[i].parent == kNoRow) continue;
    calls[calls[i].parent].device_total += calls[i].device_total;
    calls[calls[i].parent].tensor_core_total += calls[i].tensor_core_total;
  }
  return calls;
}

}  // namespace stepscope
