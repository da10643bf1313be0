#pragma once

#include <vector>

#include "base/intervals.h"

namespace stepscope {

// How much of a window a fixed set of intervals covers: O(n) once, then O(log n) per question, so
// that a thousand steps cost little more than one.
class Coverage {
 public:
  explicit Coverage(IntervalSet set);

  DurationNs Within(Interval window) const;
  const IntervalSet& set() const { return set_; }

 private:
  // Covered time before t.
  DurationNs Before(TimeNs t) const;

  IntervalSet set_;
  std::vector<DurationNs> sums_;  // covered by the intervals before each
};

}  // namespace stepscope
