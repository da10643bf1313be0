#pragma once

#include <span>
#include <vector>

#include "base/intervals.h"

namespace stepscope {

// How much of a window a fixed set of intervals covers: O(n) once, then O(log n) per question, so
// that a thousand steps cost little more than one.
class Coverage {
 public:
  // The set must outlive it, unless it is handed over.
  explicit Coverage(const IntervalSet& set);
  explicit Coverage(IntervalSet&& set);

  DurationNs Within(Interval window) const;

 private:
  void AddUp();
  // Covered time before t.
  DurationNs Before(TimeNs t) const;

  IntervalSet owned_;
  std::span<const Interval> intervals_;
  std::vector<DurationNs> sums_;  // covered by the intervals before each 64th
};

}  // namespace stepscope
