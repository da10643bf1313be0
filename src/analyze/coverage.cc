#include "analyze/coverage.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

// A sum for every interval would cost half as much memory as the set.
constexpr size_t kStride = 64;

}  // namespace

Coverage::Coverage(const IntervalSet& set) : intervals_(set.intervals()) { AddUp(); }

Coverage::Coverage(IntervalSet&& set) : owned_(std::move(set)), intervals_(owned_.intervals()) {
  AddUp();
}

void Coverage::AddUp() {
  sums_.reserve(intervals_.size() / kStride + 1);
  DurationNs sum;
  for (size_t i = 0; i < intervals_.size(); ++i) {
    if (i % kStride == 0) sums_.push_back(sum);
    sum += intervals_[i].length();
  }
}

DurationNs Coverage::Within(Interval window) const {
  if (window.end <= window.start) return {};
  return Before(window.end) - Before(window.start);
}

DurationNs Coverage::Before(TimeNs t) const {
  const auto after = std::partition_point(intervals_.begin(), intervals_.end(),
                                          [t](Interval interval) { return interval.start < t; });
  if (after == intervals_.begin()) return {};
  const size_t last = static_cast<size_t>(after - intervals_.begin()) - 1;
  const size_t first = last / kStride * kStride;
  DurationNs sum = sums_[last / kStride];
  for (size_t i = first; i < last; ++i) sum += intervals_[i].length();
  return sum + (std::min(intervals_[last].end, t) - intervals_[last].start);
}

}  // namespace stepscope
