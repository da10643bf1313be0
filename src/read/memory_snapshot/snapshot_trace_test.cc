#include "read/memory_snapshot/snapshot_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/data.h"
#include "read/memory_snapshot/snapshot.h"
#include "read/open.h"

namespace stepscope {
namespace {

// The counts and the peak were made with Python's pickle module and a replay of 15 lines.
TEST(SnapshotTrace, HistoryOfARealSnapshot) {
  TaskPool pool(1);
  const Result<Profile> profile =
      OpenProfile({TestData("h200/leak_snapshot.pickle.zst")}, {}, pool);
  ASSERT_TRUE(profile) << InEnglish(profile.error().sentence);
  const Trace& trace = profile->traces.at(0);
  EXPECT_EQ(trace.facts.format, Format::kMemorySnapshot);
  EXPECT_EQ(std::ranges::count_if(trace.allocations, [](const auto& a) { return a.bytes > 0; }),
            2962);
  EXPECT_EQ(std::ranges::count_if(trace.allocations, [](const auto& a) { return a.bytes < 0; }),
            2744);
  // 2744 frees that were completed and 43 segments.
  EXPECT_EQ(trace.instants.size(), 2744u + 43u);
  int64_t peak = 0;
  for (const Allocation& allocation : trace.allocations) {
    peak = std::max(peak, allocation.total_allocated);
  }
  EXPECT_EQ(peak, 1'856'939'624);
  EXPECT_EQ(trace.allocations.back().total_allocated, 1'353'277'440);
  EXPECT_EQ(trace.allocations.back().total_reserved, 2'015'363'072);
  EXPECT_EQ(trace.events.in_file, trace.events.stored() + trace.events.diagnosed);
  for (const Allocation& allocation : trace.allocations) {
    EXPECT_EQ(trace.strings[allocation.op].find('/'), std::string_view::npos);
  }
}

TEST(SnapshotTrace, WithoutHistoryItSaysWhatToDo) {
  // [{'device': 0, 'total_size': 1}]: the bare list of segments.
  constexpr char kBare[] =
      "\x80\x02]}(X\x06\0\0\0"
      "device"
      "K\0X\x0a\0\0\0"
      "total_size"
      "K\x01ua.";
  TaskPool pool(1);
  Diagnostics diagnostics;
  const std::string_view bytes(kBare, sizeof kBare - 1);
  const Result<Trace> trace = ReadSnapshotTrace(bytes, "bare.pickle", pool, diagnostics);
  ASSERT_FALSE(trace);
  EXPECT_EQ(InEnglish(trace.error().sentence),
            "This memory snapshot has no history of allocations.");
}

}  // namespace
}  // namespace stepscope
