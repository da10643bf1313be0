#include "analyze/timeline_tiles/lod_strip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace stepscope {
namespace {

struct Spans {
  std::vector<TimeNs> start;
  std::vector<DurationNs> duration;
  std::vector<uint32_t> rows;

  void Add(int64_t from, int64_t length) {
    rows.push_back(static_cast<uint32_t>(start.size()));
    start.push_back({from});
    duration.push_back({length});
  }
  LodStrip Strip() const {
    LodStrip strip({start, duration}, RowList(rows));
    for (size_t chunk = 0; chunk < strip.chunks(); ++chunk) strip.BuildChunk(chunk);
    return strip;
  }
};

std::vector<LodItem> Items(const LodStrip& strip, int64_t from, int64_t to, int shift) {
  std::vector<LodItem> items;
  strip.Collect({{from}, {to}}, shift, items);
  return items;
}

// Levels keep the busy share in 16 bits, rounded to a nanosecond per item.
bool Same(const LodItem& a, const LodItem& b) {
  const double busy_apart = std::abs(static_cast<double>(a.busy.ns - b.busy.ns));
  return a.start == b.start && a.extent == b.extent && a.largest == b.largest &&
         a.longest == b.longest && a.count == b.count &&
         busy_apart <= a.count + static_cast<double>(a.extent.ns) / 10'000;
}

// The definition, word by word, over all spans.
std::vector<LodItem> Slow(const Spans& spans, int64_t from, int64_t to, int shift) {
  std::vector<LodItem> all;
  bool open = false;
  for (const uint32_t row : spans.rows) {
    const TimeNs start = spans.start[row];
    const DurationNs length = spans.duration[row];
    const bool small = length.ns < (int64_t{1} << shift);
    if (open && small && (all.back().start.ns >> shift) == (start.ns >> shift)) {
      LodItem& last = all.back();
      last.extent = start + length - last.start;
      last.busy += length;
      if (length > last.longest) {
        last.longest = length;
        last.largest = row;
      }
      ++last.count;
    } else {
      all.push_back({start, length, length, length, row, 1});
    }
    open = small;
  }
  std::erase_if(all, [&](const LodItem& item) {
    return item.start.ns >= to || (item.start.ns < from && (item.start + item.extent).ns <= from);
  });
  return all;
}

TEST(LodStrip, SmallNeighboursShareABucketAndLongSpansStandAlone) {
  Spans spans;
  spans.Add(0, 3);
  spans.Add(4, 2);
  spans.Add(8, 20);
  spans.Add(30, 1);
  const auto items = Items(spans.Strip(), 0, 100, 3);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_TRUE(Same(items[0], {{0}, {6}, {5}, {3}, 0, 2}));
  EXPECT_TRUE(Same(items[1], {{8}, {20}, {20}, {20}, 2, 1}));
  EXPECT_TRUE(Same(items[2], {{30}, {1}, {1}, {1}, 3, 1}));
}

TEST(LodStrip, ASpanThatReachesIntoTheWindowIsThere) {
  Spans spans;
  spans.Add(0, 100);
  spans.Add(100, 100);
  EXPECT_EQ(Items(spans.Strip(), 50, 60, 0).size(), 1U);
  EXPECT_EQ(Items(spans.Strip(), 99, 101, 0).size(), 2U);
  EXPECT_EQ(Items(spans.Strip(), 200, 300, 0).size(), 0U);
  EXPECT_EQ(spans.Strip().RowsIn({{50}, {60}}).size(), 1U);
  EXPECT_EQ(spans.Strip().RowsIn({{100}, {101}}).size(), 1U);
}

// Dense and sparse stretches, several chunks, all resolutions; windows on the grid, as tiles are.
TEST(LodStrip, AgreesWithTheSlowVersion) {
  std::mt19937_64 random(7);
  Spans spans;
  int64_t now = 0;
  for (int stretch = 0; stretch < 400; ++stretch) {
    const int64_t scale = int64_t{1} << (random() % 24);
    for (int i = 0; i < 300; ++i) {
      now += static_cast<int64_t>(random() % static_cast<uint64_t>(scale));
      const auto length = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * scale));
      spans.Add(now, length);
      now += length;
    }
  }
  const LodStrip strip = spans.Strip();
  ASSERT_GT(strip.chunks(), 2U);
  for (int shift = 0; shift < 44; ++shift) {
    const auto fast = Items(strip, 0, now + 1, shift);
    const auto slow = Slow(spans, 0, now + 1, shift);
    ASSERT_TRUE(std::ranges::equal(fast, slow, Same)) << "shift " << shift;
    const uint64_t counted =
        std::accumulate(fast.begin(), fast.end(), uint64_t{0},
                        [](uint64_t sum, const LodItem& item) { return sum + item.count; });
    ASSERT_EQ(counted, spans.rows.size());
  }
  for (int i = 0; i < 300; ++i) {
    const int shift = static_cast<int>(random() % 30);
    const int64_t grid = int64_t{1} << shift;
    const int64_t from = static_cast<int64_t>(random() % static_cast<uint64_t>(now)) / grid * grid;
    const int64_t to = from + grid * static_cast<int64_t>(1 + random() % 2000);
    const auto fast = Items(strip, from, to, shift);
    ASSERT_TRUE(std::ranges::equal(fast, Slow(spans, from, to, shift), Same))
        << "shift " << shift << " from " << from << " to " << to;
  }
}

// Chunks end where times since their start no longer fit 32 bits.
TEST(LodStrip, AgreesWithTheSlowVersionOverHours) {
  std::mt19937_64 random(13);
  Spans spans;
  int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += static_cast<int64_t>(random() % (i % 500 == 0 ? 60'000'000'000 : 4'000'000));
    const auto length = static_cast<int64_t>(random() % (i % 400 == 0 ? 9'000'000'000 : 8'000'000));
    spans.Add(now, length);
    now += length;
  }
  const LodStrip strip = spans.Strip();
  ASSERT_GT(strip.chunks(), 40U);
  for (int shift = 10; shift < 44; ++shift) {
    ASSERT_TRUE(
        std::ranges::equal(Items(strip, 0, now + 1, shift), Slow(spans, 0, now + 1, shift), Same))
        << "shift " << shift;
  }
}

TEST(LodStrip, RowsWithoutAListAreThoseFromOneOn) {
  const std::vector<TimeNs> start{{0}, {10}, {20}, {30}, {40}};
  const std::vector<DurationNs> duration(5, DurationNs{5});
  LodStrip strip({start, duration}, RowList(1, 3));
  strip.BuildChunk(0);
  const auto items = Items(strip, 0, 100, 0);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].largest, 1U);
  EXPECT_EQ(items[2].start.ns, 30);
  const RowList in = strip.RowsIn({{24}, {31}});
  ASSERT_EQ(in.size(), 2U);
  EXPECT_EQ(in[0], 2U);
  EXPECT_EQ(in[1], 3U);
}

TEST(LodStrip, LevelsCostAtMostTenBytesASpan) {
  std::mt19937_64 random(11);
  Spans spans;
  int64_t now = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    now += static_cast<int64_t>(random() % 4000);
    const auto length = static_cast<int64_t>(random() % 20000);
    spans.Add(now, length);
    now += length;
  }
  EXPECT_LT(static_cast<double>(spans.Strip().BytesOfLevels()) / 1e6, 10.0);
}

}  // namespace
}  // namespace stepscope
