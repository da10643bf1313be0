#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace stepscope {

// Which spans of one row contain which. Rows are given in the order of Slices (start, longer first,
// file order); `parent` and `depth` are filled with `first` + the position in that order (kNoSlice
// at the top) and the depth on the lane.
struct Nesting {
  uint32_t lanes = 1;
  std::vector<uint32_t> lane;  // by position; empty when all are on lane 0
  uint64_t overlapping = 0;    // spans that overlap others without nesting: those not on lane 0
};

// A span goes to the lane where the innermost span containing it is open; where none contains it,
// to the first lane with nothing open. Linear while there are few lanes; beyond kSearchedLanes
// lanes, spans are only kept apart, not nested, at O(log lanes) each.
inline constexpr uint32_t kSearchedLanes = 32;
Nesting Nest(std::span<const TimeNs> start, std::span<const DurationNs> duration, uint32_t first,
             std::span<SliceId> parent, std::span<uint16_t> depth);

}  // namespace stepscope
