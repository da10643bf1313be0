#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// A row of the timeline with all its lanes: tracks [first, last).
struct LaneGroup {
  uint32_t first = 0;
  uint32_t last = 0;
};

std::vector<LaneGroup> LaneGroupsOf(const Trace& trace);
LaneGroup LaneGroupOf(const Trace& trace, TrackId track);

// All rows of a group's slices in order of start, longer first. O(n) with one lane, else
// O(n log lanes).
std::vector<uint32_t> RowsInOrder(const Trace& trace, LaneGroup group);

}  // namespace stepscope
