#pragma once

#include <vector>

#include "base/intervals.h"

namespace stepscope {

// How much of a window a fixed set of intervals covers: O(log n) a question after O(n) once, so
// that a thousand steps cost no more than one.
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
