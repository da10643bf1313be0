#include "base/intervals.h"

#include <algorithm>

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

// Calls visit for each non-empty overlap of two sorted disjoint lists, in order.
template <typename Visit>
void ForEachOverlap(std::span<const Interval> a, std::span<const Interval> b, Visit visit) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Interval both{std::max(a[i].start, b[j].start), std::min(a[i].end, b[j].end)};
    if (both.start < both.end) visit(both);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

IntervalSet IntervalSet::Of(std::vector<Interval> intervals) {
  const auto by_start = [](Interval a, Interval b) { return a.start < b.start; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_start)) {
    std::sort(intervals.begin(), intervals.end(), by_start);
  }
  return OfSorted(intervals);
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
  IntervalSet set;
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
    while (j < other.intervals_.size() && other.intervals_[j].end <= from) ++j;
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

IntervalSet IntervalSet::Complement(Interval window) const {
  IntervalSet whole;
  if (window.start < window.end) whole.intervals_.push_back(window);
  return whole.Subtract(*this);
}

DurationNs IntervalSet::OverlapWith(const IntervalSet& other) const {
  DurationNs sum;
  ForEachOverlap(intervals_, other.intervals_, [&](Interval both) { sum += both.length(); });
  return sum;
}

}  // namespace stepscope
