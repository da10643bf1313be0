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
  IntervalSet Take() && {
    IntervalSet set;
    set.intervals_ = std::move(joined_);
    return set;
  }

 private:
  std::vector<Interval> joined_;
};

// Union of sets: O(n log sets), where a sort of all intervals would be O(n log n). Sets go as they
// are joined.
inline IntervalSet JoinSets(std::vector<IntervalSet> sets) {
  if (sets.empty()) return {};
  while (sets.size() > 1) {
    for (size_t i = 0; i + 1 < sets.size(); i += 2) {
      IntervalSet both = sets[i].Union(sets[i + 1]);
      sets[i] = IntervalSet();
      sets[i + 1] = IntervalSet();
      sets[i / 2] = std::move(both);
    }
    if (sets.size() % 2 == 1) sets[sets.size() / 2] = std::move(sets.back());
    sets.resize((sets.size() + 1) / 2);
  }
  return std::move(sets.front());
}

}  // namespace stepscope
