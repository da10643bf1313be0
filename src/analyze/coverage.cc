#include "analyze/coverage.h"

#include <algorithm>
#include <utility>

namespace stepscope {

Coverage::Coverage(IntervalSet set) : set_(std::move(set)) {
  sums_.reserve(set_.intervals().size());
  DurationNs sum;
  for (const Interval interval : set_.intervals()) {
    sums_.push_back(sum);
    sum += interval.length();
  }
}

DurationNs Coverage::Within(Interval window) const {
  if (window.end <= window.start) return {};
  return Before(window.end) - Before(window.start);
}

DurationNs Coverage::Before(TimeNs t) const {
  const auto intervals = set_.intervals();
  const auto after = std::partition_point(intervals.begin(), intervals.end(),
                                          [t](Interval interval) { return interval.start < t; });
  if (after == intervals.begin()) return {};
  const size_t i = static_cast<size_t>(after - intervals.begin()) - 1;
  return sums_[i] + (std::min(intervals[i].end, t) - intervals[i].start);
}

}  // namespace stepscope
