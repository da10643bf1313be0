#include "base/intervals.h"

#include <algorithm>
#include <utility>

#include "base/sort_runs.h"

namespace stepscope {
namespace {

// Appends, joining with the last interval where they touch or overlap.
void Append(std::vector<Interval>& out, Interval next) {
  if (next.end <= next.start) return;
  if (!out.empty() && next.start <= out.back().end) {
    out.back().end = std::max(out.back().end, next.end);
  } else {
    out.push_back(next);
  }
}

// The first interval from `at` on that ends after the time. Doubles its steps: a short list against
// a long one costs a few comparisons an interval of the short one.
size_t FirstEndingAfter(std::span<const Interval> list, size_t at, TimeNs time) {
  size_t step = 1;
  size_t last = at;
  while (last < list.size() && list[last].end <= time) {
    at = last + 1;
    last += step;
    step *= 2;
  }
  const auto begin = list.begin() + static_cast<ptrdiff_t>(at);
  const auto end = list.begin() + static_cast<ptrdiff_t>(std::min(last, list.size()));
  const auto found =
      std::partition_point(begin, end, [&](Interval interval) { return interval.end <= time; });
  return static_cast<size_t>(found - list.begin());
}

// Calls visit for each non-empty overlap of two sorted disjoint lists, in order.
template <typename Visit>
void ForEachOverlap(std::span<const Interval> a, std::span<const Interval> b, Visit visit) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Interval both{std::max(a[i].start, b[j].start), std::min(a[i].end, b[j].end)};
    if (both.start < both.end) visit(both);
    if (a[i].end < b[j].end) {
      i = FirstEndingAfter(a, i + 1, b[j].start);
    } else {
      j = FirstEndingAfter(b, j + 1, a[i].start);
    }
  }
}

}  // namespace

IntervalSet IntervalSet::Of(std::vector<Interval> intervals) {
  const auto by_start = [](Interval a, Interval b) { return a.start < b.start; };
  // As a rule those of one thread after those of the other: a few runs, which are merged.
  constexpr size_t kFewRuns = 64;
  size_t breaks = 0;
  for (size_t i = 1; i < intervals.size(); ++i) {
    breaks += by_start(intervals[i], intervals[i - 1]) ? 1 : 0;
  }
  if (breaks > kFewRuns) {
    std::sort(intervals.begin(), intervals.end(), by_start);
  } else if (breaks > 0) {
    SortRuns(intervals, by_start);  // which of two that start together comes first does not matter
  }
  // In place: the result is never longer.
  size_t kept = 0;
  for (const Interval next : intervals) {
    if (next.end <= next.start) continue;
    if (kept > 0 && next.start <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    } else {
      intervals[kept++] = next;
    }
  }
  intervals.resize(kept);
  IntervalSet set;
  set.intervals_ = std::move(intervals);
  return set;
}

IntervalSet IntervalSet::OfSorted(std::span<const Interval> intervals) {
  IntervalSet set;
  for (const Interval interval : intervals) Append(set.intervals_, interval);
  return set;
}

DurationNs IntervalSet::length() const {
  DurationNs sum;
  for (const Interval interval : intervals_) sum += interval.length();
  return sum;
}

IntervalSet IntervalSet::Union(const IntervalSet& other) const {
  if (other.empty()) return *this;
  if (empty()) return other;
  IntervalSet set;
  set.intervals_.reserve(intervals_.size() + other.intervals_.size());
  size_t i = 0;
  size_t j = 0;
  while (i < intervals_.size() || j < other.intervals_.size()) {
    const bool take_mine =
        j == other.intervals_.size() ||
        (i < intervals_.size() && intervals_[i].start <= other.intervals_[j].start);
    Append(set.intervals_, take_mine ? intervals_[i++] : other.intervals_[j++]);
  }
  return set;
}

IntervalSet IntervalSet::Intersect(const IntervalSet& other) const {
  IntervalSet set;
  ForEachOverlap(intervals_, other.intervals_,
                 [&](Interval both) { set.intervals_.push_back(both); });
  return set;
}

IntervalSet IntervalSet::Subtract(const IntervalSet& other) const {
  IntervalSet set;
  size_t j = 0;
  for (const Interval mine : intervals_) {
    TimeNs from = mine.start;
    j = FirstEndingAfter(other.intervals_, j, from);
    for (size_t k = j; k < other.intervals_.size() && other.intervals_[k].start < mine.end; ++k) {
      if (from < other.intervals_[k].start) {
        set.intervals_.push_back({from, other.intervals_[k].start});
      }
      from = std::max(from, other.intervals_[k].end);
    }
    if (from < mine.end) set.intervals_.push_back({from, mine.end});
  }
  return set;
}

IntervalSet IntervalSet::Clip(Interval window) const {
  IntervalSet set;
  auto at = std::partition_point(intervals_.begin(), intervals_.end(),
                                 [&](Interval i) { return i.end <= window.start; });
  for (; at != intervals_.end() && at->start < window.end; ++at) {
    const Interval cut{std::max(at->start, window.start), std::min(at->end, window.end)};
    if (cut.start < cut.end) set.intervals_.push_back(cut);
  }
  return set;
}

DurationNs IntervalSet::OverlapWith(const IntervalSet& other) const {
  DurationNs sum;
  ForEachOverlap(intervals_, other.intervals_, [&](Interval both) { sum += both.length(); });
  return sum;
}

}  // namespace stepscope
