#include "base/radix_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

namespace stepscope {
namespace {

TEST(RadixOrder, IsTheStableOrder) {
  EXPECT_TRUE(rc::check([](const std::vector<int64_t>& keys, uint8_t range) {
    std::vector<int64_t> narrowed = keys;
    if (range > 0) {
      for (int64_t& key : narrowed) key %= range;
    }
    std::vector<uint32_t> expected(narrowed.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return narrowed[a] < narrowed[b]; });
    RC_ASSERT(RadixOrder(narrowed) == expected);
  }));
}

TEST(RadixOrder, HoldsTheLimits) {
  const std::vector<int64_t> keys{INT64_MAX, 0, INT64_MIN, -1, INT64_MAX};
  EXPECT_EQ(RadixOrder(keys), (std::vector<uint32_t>{2, 3, 1, 0, 4}));
  EXPECT_TRUE(RadixOrder({}).empty());
}

}  // namespace
}  // namespace stepscope
