#include "analyze/timeline_tiles/counter_strip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope {
namespace {

TEST(CounterStrip, KeepsExtremesAndTheSampleBeforeTheWindow) {
  CounterStrip strip;
  strip.Add({0}, 5);
  strip.Add({100}, 1);
  strip.Add({101}, 9);
  strip.Add({102}, 4);
  strip.Build();
  std::vector<CounterItem> items;
  strip.Collect({{50}, {200}}, 0, items);
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].last, 5.0F);
  EXPECT_EQ(items[2].max, 9.0F);
  EXPECT_EQ(strip.min(), 1.0F);
  EXPECT_EQ(strip.max(), 9.0F);
}

// Samples microseconds apart, and others seconds apart, whose times need more room.
class CounterStripTimes : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(NearAndFar, CounterStripTimes, testing::Values(1'000, 3'000'000'000));

TEST_P(CounterStripTimes, EverySampleIsCountedOnceAndNoExtremeIsLost) {
  std::mt19937_64 random(5);
  CounterStrip strip;
  std::vector<int64_t> time;
  std::vector<float> value;
  int64_t now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += static_cast<int64_t>(random() % 1000) * (i % 7 == 0 ? GetParam() : 1);
    time.push_back(now);
    value.push_back(static_cast<float>(random() % 1000));
    strip.Add({now}, value.back());
  }
  strip.Build();
  for (int shift = 0; shift < 42; ++shift) {
    std::vector<CounterItem> items;
    strip.Collect({{0}, {now + 1}}, shift, items);
    size_t sample = 0;
    for (const CounterItem& item : items) {
      ASSERT_EQ(item.time.ns, time[sample]);
      const auto part = std::ranges::minmax(
          std::vector<float>(value.begin() + static_cast<ptrdiff_t>(sample),
                             value.begin() + static_cast<ptrdiff_t>(sample + item.count)));
      ASSERT_EQ(item.min, part.min);
      ASSERT_EQ(item.max, part.max);
      sample += item.count;
      ASSERT_EQ(item.last, value[sample - 1]);
    }
    ASSERT_EQ(sample, value.size());
  }
}

}  // namespace
}  // namespace stepscope
