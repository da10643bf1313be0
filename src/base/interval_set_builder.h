#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/intervals.h"

namespace stepscope {

// Makes a set of intervals that come in order of their start. Those that touch or overlap join as
// they come, so that the list is never longer than the set.
class IntervalSetBuilder {
 public:
  // Room for as many as may come. Room that is not used costs nothing, growing by doubling costs
  // twice the memory.
  void Reserve(size_t intervals) { joined_.reserve(intervals); }
  void Add(Interval next) {
    if (next.end <= next.start) return;
    if (!joined_.empty() && next.start <= joined_.back().end) {
      joined_.back().end = std::max(joined_.back().end, next.end);
    } else {
      joined_.push_back(next);
    }
  }
  IntervalSet Take() && { return IntervalSet::Of(std::move(joined_)); }

 private:
  std::vector<Interval> joined_;
};

}  // namespace stepscope
