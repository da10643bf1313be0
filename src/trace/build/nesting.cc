#include "trace/build/nesting.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace stepscope {
namespace {

struct Open {
  TimeNs end;
  uint32_t row;
};
using Stack = std::vector<Open>;

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr size_t kDeepest = std::numeric_limits<uint16_t>::max();

// Ends what is over at `now`; what is left contains it.
void CloseUntil(Stack& open, TimeNs now) {
  while (!open.empty() && open.back().end <= now) open.pop_back();
}

// The lane for a span, kNone if it overlaps something on every lane.
uint32_t LaneFor(std::vector<Stack>& lanes, TimeNs start, TimeNs end) {
  uint32_t free = kNone;
  uint32_t inside = kNone;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    Stack& open = lanes[lane];
    CloseUntil(open, start);
    if (open.empty()) {
      free = std::min(free, lane);
    } else if (end <= open.back().end &&
               (inside == kNone || open.back().row > lanes[inside].back().row)) {
      inside = lane;
    }
  }
  return inside != kNone ? inside : free;
}

// Lanes past the searched ones: each holds one open span at a time.
class CrowdedLanes {
 public:
  uint32_t Take(TimeNs start, TimeNs end) {
    uint32_t lane = kSearchedLanes + count_;
    if (!ends_.empty() && ends_.top().first <= start) {
      lane = ends_.top().second;
      ends_.pop();
    } else {
      ++count_;
    }
    ends_.emplace(end, lane);
    return lane;
  }
  uint32_t count() const { return count_; }

 private:
  using Entry = std::pair<TimeNs, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ends_;
  uint32_t count_ = 0;
};

}  // namespace

Nesting Nest(std::span<const TimeNs> start, std::span<const DurationNs> duration, uint32_t first,
             std::span<SliceId> parent, std::span<uint16_t> depth) {
  Nesting nesting;
  std::vector<Stack> lanes(1);
  CrowdedLanes crowded;
  for (uint32_t row = 0; row < start.size(); ++row) {
    const TimeNs end = start[row] + duration[row];
    uint32_t lane = LaneFor(lanes, start[row], end);
    if (lane == kNone) {
      if (lanes.size() < kSearchedLanes) {
        lane = static_cast<uint32_t>(lanes.size());
        lanes.emplace_back();
      } else {
        lane = crowded.Take(start[row], end);
      }
    }
    if (lane > 0) {
      if (nesting.lane.empty()) nesting.lane.resize(start.size());
      nesting.lane[row] = lane;
      ++nesting.overlapping;
    }
    if (lane >= kSearchedLanes) {
      parent[row] = kNoSlice;
      depth[row] = 0;
      continue;
    }
    Stack& open = lanes[lane];
    parent[row] = open.empty() ? kNoSlice : SliceId{first + open.back().row};
    depth[row] = static_cast<uint16_t>(std::min(open.size(), kDeepest));
    open.push_back({end, row});
  }
  nesting.lanes = static_cast<uint32_t>(lanes.size()) + crowded.count();
  return nesting;
}

}  // namespace stepscope
