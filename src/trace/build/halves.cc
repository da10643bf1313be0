#include "trace/build/halves.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/release.h"
#include "trace/build/limits.h"

namespace stepscope {
namespace {

using Half = EventBlock::Half;

// All halves of the file with its own numbers, by row, time and file order.
std::vector<Half> GatherHalves(std::span<EventBlock> blocks, const Joined& joined,
                               std::span<const ArgsBases> bases) {
  std::vector<Half> all;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const BlockMaps& maps = joined.maps[b];
    for (Half half : blocks[b].halves) {
      half.time = ClampTime(half.time);
      half.name = maps.strings[Index(half.name)];
      half.track = maps.rows[half.track];
      half.event += maps.first_event;
      if (half.args != kNoRow) half.args += bases[b].Of(half.kind);
      all.push_back(half);
    }
    Release(blocks[b].halves);
  }
  const auto key = [](const Half& h) { return std::tuple(h.track, h.time, h.event); };
  std::sort(all.begin(), all.end(), [&](const Half& a, const Half& b) { return key(a) < key(b); });
  return all;
}

// The latest time on each row, of spans and halves.
std::vector<int64_t> LastTimes(std::span<const EventBlock> blocks, const Joined& joined,
                               std::span<const Half> halves) {
  std::vector<int64_t> last(joined.rows.size(), std::numeric_limits<int64_t>::min());
  for (size_t b = 0; b < blocks.size(); ++b) {
    const EventBlock& block = blocks[b];
    for (size_t i = 0; i < block.start.size(); ++i) {
      const int64_t length =
          IsAbsurd(block.start[i], block.duration[i]) ? 0 : std::max<int64_t>(0, block.duration[i]);
      int64_t& at = last[joined.maps[b].rows[block.track[i]]];
      at = std::max(at, ClampTime(block.start[i]) + length);
    }
  }
  for (const Half& half : halves) last[half.track] = std::max(last[half.track], half.time);
  return last;
}

class Matcher {
 public:
  explicit Matcher(EventBlock& spans) : spans_(spans) {}

  // Halves of one row in time order.
  void Run(std::span<const Half> halves, TrackKind kind, int64_t last_time) {
    open_.clear();
    open_by_name_.clear();
    for (const Half& half : halves) {
      if (half.begin) {
        ++open_by_name_[Index(half.name)];
        open_.push_back(half);
      } else if (open_.empty()) {
        ++unmatched_ends;
      } else if (kind == TrackKind::kAsync) {
        EndCrossing(half);
      } else {
        EndNested(half);
      }
    }
    while (!open_.empty()) Close(open_.size() - 1, last_time, kUnfinished);
  }

  uint64_t unmatched_begins = 0;
  uint64_t unmatched_ends = 0;

 private:
  bool IsOpen(StringId name) const {
    const auto at = open_by_name_.find(Index(name));
    return at != open_by_name_.end() && at->second > 0;
  }

  void EndNested(const Half& end) {
    if (end.name != kEmptyString) {
      if (!IsOpen(end.name)) {
        ++unmatched_ends;
        return;
      }
      while (open_.back().name != end.name) Close(open_.size() - 1, end.time, kUnfinished);
    }
    Close(open_.size() - 1, end.time, 0);
  }

  // Searches no deeper than the number of begins that a real scope has open at once, so that the
  // cost stays linear.
  void EndCrossing(const Half& end) {
    constexpr size_t kDeepestSearch = 1024;
    size_t at = open_.size() - 1;
    if (end.name != kEmptyString) {
      const size_t lowest = open_.size() - std::min(open_.size(), kDeepestSearch);
      while (at > lowest && open_[at].name != end.name) --at;
      if (open_[at].name != end.name) {
        ++unmatched_ends;
        return;
      }
    }
    Close(at, end.time, 0);
  }

  void Close(size_t at, int64_t time, uint8_t flags) {
    const Half& begin = open_[at];
    --open_by_name_[Index(begin.name)];
    spans_.start.push_back(begin.time);
    spans_.duration.push_back(time - begin.time);
    spans_.name.push_back(begin.name);
    spans_.track.push_back(begin.track);
    spans_.event.push_back(begin.event);
    spans_.args.push_back(begin.args);
    spans_.kind.push_back(begin.kind);
    spans_.flags.push_back(flags);
    unmatched_begins += flags == kUnfinished ? 1 : 0;
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(at));
  }

  EventBlock& spans_;
  std::vector<Half> open_;
  std::unordered_map<uint32_t, uint32_t> open_by_name_;
};

}  // namespace

uint32_t ArgsBases::Of(Kind kind) const {
  switch (TableOf(kind)) {
    case ArgsTable::kOp:
      return op;
    case ArgsTable::kCall:
      return call;
    case ArgsTable::kDevice:
      return device;
    case ArgsTable::kFrame:
      return frame;
  }
  std::unreachable();
}

EventBlock MatchHalves(std::span<EventBlock> blocks, const Joined& joined,
                       std::span<const ArgsBases> bases, Diagnostics& diagnostics) {
  EventBlock spans;
  const std::vector<Half> halves = GatherHalves(blocks, joined, bases);
  if (halves.empty()) return spans;
  const std::vector<int64_t> last_times = LastTimes(blocks, joined, halves);
  Matcher matcher(spans);
  for (size_t first = 0; first < halves.size();) {
    const uint32_t row = halves[first].track;
    size_t last = first;
    while (last < halves.size() && halves[last].track == row) ++last;
    matcher.Run(std::span(halves).subspan(first, last - first), joined.rows[row].track.kind,
                last_times[row]);
    first = last;
  }
  if (matcher.unmatched_begins > 0) {
    diagnostics.Add(Diagnostic::kUnmatchedBegin, matcher.unmatched_begins);
  }
  if (matcher.unmatched_ends > 0) {
    diagnostics.Add(Diagnostic::kUnmatchedEnd, matcher.unmatched_ends);
  }
  spans.diagnosed = matcher.unmatched_ends;
  return spans;
}

}  // namespace stepscope
