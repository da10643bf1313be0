#pragma once

#include <span>
#include <vector>

#include "base/time.h"

namespace stepscope {

// Half open: [start, end). Empty when end <= start.
struct Interval {
  TimeNs start;
  TimeNs end;

  friend constexpr bool operator==(Interval, Interval) = default;
  constexpr DurationNs length() const { return end > start ? end - start : DurationNs{}; }
};

// A set of points in time: sorted, disjoint, non-empty, non-touching intervals. Everything in
// Stepscope that asks "how long" asks one of these. Union of n unsorted intervals is O(n log n),
// all else O(n + m).
class IntervalSet {
 public:
  IntervalSet() = default;
  // Any intervals, in any order; empty ones vanish, touching ones join.
  static IntervalSet Of(std::vector<Interval> intervals);
  // Intervals already sorted by start (they may overlap).
  static IntervalSet OfSorted(std::span<const Interval> intervals);

  std::span<const Interval> intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  DurationNs length() const;

  IntervalSet Union(const IntervalSet& other) const;
  IntervalSet Intersect(const IntervalSet& other) const;
  IntervalSet Subtract(const IntervalSet& other) const;
  // The part inside [window.start, window.end).
  IntervalSet Clip(Interval window) const;
  // Length of Intersect without building it.
  DurationNs OverlapWith(const IntervalSet& other) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  friend class IntervalSetBuilder;

  std::vector<Interval> intervals_;
};

}  // namespace stepscope
