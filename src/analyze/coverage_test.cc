#include "analyze/coverage.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/flat_index.h"

namespace stepscope {
namespace {

TEST(Coverage, IsTheLengthOfTheClippedSet) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Interval> intervals;
    for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
      const int64_t start = *rc::gen::inRange(-50, 50);
      intervals.push_back({{start}, {start + *rc::gen::inRange(0, 20)}});
    }
    const IntervalSet set = IntervalSet::Of(intervals);
    const Interval window{{*rc::gen::inRange(-80, 80)}, {*rc::gen::inRange(-80, 80)}};
    RC_ASSERT(Coverage(set).Within(window) == set.Clip(window).length());
  }));
}

TEST(FlatIndex, NumbersKeysInOrderOfAppearance) {
  EXPECT_TRUE(rc::check([](const std::vector<uint32_t>& keys) {
    FlatIndex index(1);
    std::vector<uint64_t> seen;
    for (const uint32_t key : keys) {
      const auto at = std::find(seen.begin(), seen.end(), key);
      const auto expected = static_cast<uint32_t>(at - seen.begin());
      if (at == seen.end()) seen.push_back(key);
      RC_ASSERT(index.Of(key) == expected);
    }
    RC_ASSERT(index.keys() == seen);
  }));
}

}  // namespace
}  // namespace stepscope
