#include "base/intervals.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bitset>

namespace stepscope {
namespace {

constexpr int kPoints = 64;
using Points = std::bitset<kPoints>;

// The slow, obvious version: a set of whole points.
Points PointsOf(const std::vector<Interval>& intervals) {
  Points points;
  for (const Interval i : intervals) {
    for (int64_t t = i.start.ns; t < i.end.ns; ++t) points.set(static_cast<size_t>(t));
  }
  return points;
}
Points PointsOf(const IntervalSet& set) {
  return PointsOf(std::vector<Interval>(set.intervals().begin(), set.intervals().end()));
}

std::vector<Interval> SomeIntervals() {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, kPoints), rc::gen::inRange(0, kPoints)));
  std::vector<Interval> intervals;
  for (const auto& [a, b] : pairs) intervals.push_back({TimeNs{a}, TimeNs{b}});
  return intervals;
}

TEST(IntervalSet, AgreesWithSetsOfPoints) {
  EXPECT_TRUE(rc::check([] {
    const auto left = SomeIntervals();
    const auto right = SomeIntervals();
    const IntervalSet a = IntervalSet::Of(left);
    const IntervalSet b = IntervalSet::Of(right);
    const Points pa = PointsOf(left);
    const Points pb = PointsOf(right);
    RC_ASSERT(PointsOf(a) == pa);
    RC_ASSERT(PointsOf(a.Union(b)) == (pa | pb));
    RC_ASSERT(PointsOf(a.Intersect(b)) == (pa & pb));
    RC_ASSERT(PointsOf(a.Subtract(b)) == (pa & ~pb));
    RC_ASSERT(a.OverlapWith(b).ns == static_cast<int64_t>((pa & pb).count()));
    RC_ASSERT(a.length().ns == static_cast<int64_t>(pa.count()));
    const Interval window{TimeNs{10}, TimeNs{30}};
    RC_ASSERT(PointsOf(a.Clip(window)) == (pa & PointsOf({window})));
    for (size_t i = 1; i < a.intervals().size(); ++i) {
      RC_ASSERT(a.intervals()[i - 1].end < a.intervals()[i].start);
    }
  }));
}

}  // namespace
}  // namespace stepscope
