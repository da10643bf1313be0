#include "present/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepscope {
namespace {

TEST(FormatDuration, PicksTheUnitThatFits) {
  EXPECT_EQ(FormatDuration({0}), "0 ns");
  EXPECT_EQ(FormatDuration({850}), "850 ns");
  EXPECT_EQ(FormatDuration({12'345}), "12.3 µs");
  EXPECT_EQ(FormatDuration({196'449'999}), "196.4 ms");
  EXPECT_EQ(FormatDuration({196'450'000}), "196.5 ms");
  EXPECT_EQ(FormatDuration({1'234'567'890}), "1.23 s");
  EXPECT_EQ(FormatDuration({205'400'000'000}), "3 m 25 s");
  EXPECT_EQ(FormatDuration({-12'345}), "-12.3 µs");
}

TEST(FormatDuration, TakesEveryValue) {
  EXPECT_EQ(FormatDuration({std::numeric_limits<int64_t>::min()}), "-153,722,867 m 17 s");
  EXPECT_EQ(FormatDuration({std::numeric_limits<int64_t>::max()}), "153,722,867 m 17 s");
}

TEST(FormatIn, OneUnitForAColumn) {
  EXPECT_EQ(UnitFor({158'200'000}), TimeUnit::kMs);
  EXPECT_EQ(FormatIn(TimeUnit::kMs, {158'200'000}, {158'200'000}), "158.2");
  EXPECT_EQ(FormatIn(TimeUnit::kMs, {49'999}, {10'000'000}), "0.0");
  EXPECT_EQ(FormatIn(TimeUnit::kMs, {49'999}, {9'999'999}), "0.05");
  EXPECT_EQ(FormatIn(TimeUnit::kMs, {-4'999}, {1'000'000}), "0.00");
  EXPECT_EQ(FormatIn(TimeUnit::kNs, {1'234'567}, {0}), "1,234,567");
  EXPECT_EQ(FormatRange({57'600'000}, {58'000'000}), "57.6 … 58.0 ms");
}

TEST(FormatBytes, BinaryUnits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.50 KiB");
  EXPECT_EQ(FormatBytes(33'554'432), "32.0 MiB");
  EXPECT_EQ(FormatBytes(150'000'000'000), "140 GiB");
  EXPECT_EQ(FormatBytes(-33'554'432), "-32.0 MiB");
  EXPECT_EQ(FormatBytes(std::numeric_limits<int64_t>::max()), "8.00 EiB");
}

TEST(FormatCount, Thousands) {
  EXPECT_EQ(FormatCount(uint64_t{0}), "0");
  EXPECT_EQ(FormatCount(uint64_t{999}), "999");
  EXPECT_EQ(FormatCount(uint64_t{61'234}), "61,234");
  EXPECT_EQ(FormatCount(std::numeric_limits<uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(FormatCount(int64_t{-1'000}), "-1,000");
}

TEST(FormatPercent, SaysNothingOfNothing) {
  EXPECT_EQ(FormatPercent(188, 1000), "18.8");
  EXPECT_EQ(FormatPercent(1, 0), "–");
}

}  // namespace
}  // namespace stepscope
