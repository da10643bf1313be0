#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/data.h"
#include "tools/memory/memory_summary.h"
#include "tools/memory/memory_text.h"

namespace stepscope {
namespace {

using testing::HasSubstr;
using Action = MemorySnapshot::Action;

// The numbers were counted with Python's pickle module and a replay of 15 lines.
TEST(MemorySnapshot, NumbersOfARealSnapshot) {
  const Result<MemorySnapshot> snapshot =
      ReadMemorySnapshot(TestData("h200/leak_snapshot.pickle.zst"));
  ASSERT_TRUE(snapshot) << InEnglish(snapshot.error().sentence);
  const MemorySummary summary = SummarizeMemory(*snapshot);
  ASSERT_EQ(summary.devices.size(), 1u);
  const DeviceMemory& memory = summary.devices[0];
  EXPECT_EQ(memory.reserved, 2'015'363'072);
  EXPECT_EQ(memory.allocated, 1'359'753'216);
  EXPECT_EQ(memory.requested, 1'353'277'440);
  EXPECT_EQ(memory.segments, 43);
  EXPECT_EQ(memory.blocks, 272);
  EXPECT_EQ(memory.active_blocks, 218);
  EXPECT_EQ(memory.largest_free, 155'189'248);
  EXPECT_EQ(memory.allocs, 2962);
  EXPECT_EQ(memory.frees, 2744);
  EXPECT_EQ(memory.free_completions, 2744);
  EXPECT_EQ(memory.segment_allocs, 43);
  EXPECT_EQ(memory.span_us, 562'561);
  EXPECT_EQ(memory.peak, 1'856'939'624);
  ASSERT_TRUE(memory.growth);
  EXPECT_EQ(memory.growth->bytes_per_step, 33'554'432);
  ASSERT_FALSE(memory.growth->sites.empty());
  EXPECT_EQ(memory.growth->sites[0].bytes, 33'554'432);
  int64_t held = 0;
  for (const SiteBytes& site : memory.at_peak) held += site.bytes;
  EXPECT_EQ(held, memory.peak);
  for (const SiteBytes& site : memory.at_peak) EXPECT_EQ(site.site.find('/'), std::string::npos);
  const auto bytes_of = [](const std::vector<SiteBytes>& rows, std::string_view name) {
    const auto at = std::ranges::find(rows, name, &SiteBytes::site);
    return at == rows.end() ? 0 : at->bytes;
  };
  EXPECT_EQ(bytes_of(memory.modules_at_peak, "(optimizer)"), 541'894'656);
  EXPECT_EQ(bytes_of(memory.modules_at_peak, "(backward)"), 304'501'760);
  EXPECT_EQ(bytes_of(memory.modules_at_peak, "(outside of modules)"), 438'723'584);
  EXPECT_EQ(bytes_of(memory.steps_at_peak, "(before the first step)"), 339'108'864);
  EXPECT_EQ(bytes_of(memory.steps_at_peak, "1"), 575'449'088);
  EXPECT_EQ(bytes_of(memory.steps_at_peak, "5"), 570'771'048);
  EXPECT_EQ(memory.pinned_segments, 4);
  EXPECT_EQ(memory.pinned_free, 7'982'080);
}

// By hand: 10 bytes before the steps, 20 in the first, 30 in the second and third; the 20 go. The
// annotation of a layer comes twice a step and is not what counts steps.
TEST(MemorySummary, HeldByModuleAndStep) {
  MemorySnapshot snapshot;
  const auto text = [&](const char* name) { return snapshot.strings.Intern(name); };
  const StringId site = text("train.py:3 step"), block = text("model.py:9 > block.py forward"),
                 backward = text("(backward)");
  for (const int64_t time : {10, 20, 30}) {
    snapshot.marks.push_back({text("layer"), 0, time + 1});
    snapshot.marks.push_back({text("Optimizer.step#Adam.step"), 0, time});
    snapshot.marks.push_back({text("layer"), 0, time + 2});
  }
  std::ranges::stable_sort(snapshot.marks, {}, &MemorySnapshot::Mark::time_us);
  snapshot.traces = {{{Action::kAlloc, 1, 10, 5, site, {}},
                      {Action::kAlloc, 2, 20, 12, site, block},
                      {Action::kFreeRequested, 2, 20, 14, {}, {}},
                      {Action::kAlloc, 3, 30, 22, site, block},
                      {Action::kAlloc, 4, 30, 32, site, backward}}};
  auto& segment = snapshot.segments.emplace_back();
  segment.total = 1000;
  segment.allocated = 70;
  segment.blocks = {{1, 10, 10, true, site, {}},
                    {3, 30, 30, true, site, block},
                    {4, 30, 30, true, site, backward},
                    {5, 930, 0, false, {}, {}}};
  const MemorySummary summary = SummarizeMemory(snapshot);
  const DeviceMemory& memory = summary.devices.at(0);
  EXPECT_EQ(memory.peak, 70);
  const auto shown = [](const std::vector<SiteBytes>& rows) {
    std::string out;
    for (const SiteBytes& row : rows) out += row.site + "=" + std::to_string(row.bytes) + ";";
    return out;
  };
  EXPECT_EQ(shown(memory.modules_at_peak),
            "(backward)=30;model.py:9 > block.py forward=30;(no stack recorded)=10;");
  EXPECT_EQ(shown(memory.steps_at_peak), "(before the first step)=10;2=30;3=30;");
  ASSERT_TRUE(memory.growth);
  EXPECT_EQ(memory.growth->mark, "Optimizer.step#Adam.step");
  EXPECT_THAT(memory.growth->live, testing::ElementsAre(10, 10, 40));
  EXPECT_EQ(shown(memory.growth->modules), "model.py:9 > block.py forward=30;");
  // Nine tenths of the segment are free and cannot go back.
  EXPECT_EQ(memory.pinned_segments, 1);
  EXPECT_EQ(memory.pinned_free, 930);
  EXPECT_EQ(FragmentationOf(memory), 0);
  EXPECT_THAT(MemoryText({summary}, {}), HasSubstr("step 2"));
}

MemorySnapshot Drawn() {
  MemorySnapshot snapshot;
  auto& segment = snapshot.segments.emplace_back();
  segment.total = 100;
  segment.allocated = 60;
  const StringId site = snapshot.strings.Intern("train.py:3 step");
  segment.blocks = {{0, 40, 40, true, site, {}},
                    {40, 15, 0, false, {}, {}},
                    {55, 20, 20, true, site, {}},
                    {75, 25, 0, false, {}, {}}};
  return snapshot;
}

TEST(MemorySummary, ARecordingThatBeginsInTheMiddle) {
  MemorySnapshot snapshot = Drawn();
  const StringId site = snapshot.strings.Intern("train.py:3 step");
  // 25 bytes from before are freed, 20 that are there now are asked for.
  snapshot.traces = {
      {{Action::kFreeRequested, 75, 25, 10, {}, {}}, {Action::kAlloc, 55, 20, 20, site, {}}}};
  const MemorySummary summary = SummarizeMemory(snapshot);
  // Before the recording: 60 now - 20 + 25.
  EXPECT_EQ(summary.devices[0].peak, 65);
  ASSERT_EQ(summary.devices[0].at_peak.size(), 1u);
  EXPECT_EQ(summary.devices[0].at_peak[0].site, "(before the recording)");
  EXPECT_FALSE(summary.devices[0].peak_after_us);
}

TEST(MemorySummary, FullOrFragmented) {
  MemorySnapshot snapshot = Drawn();
  snapshot.traces = {{{Action::kOutOfMemory, 5, 30, 10, {}, {}}}};
  const MemorySummary fragmented = SummarizeMemory(snapshot);
  ASSERT_TRUE(fragmented.devices[0].oom);
  EXPECT_TRUE(fragmented.devices[0].oom->fragmented);  // 40 + 5 are free, 25 in one piece
  EXPECT_EQ(fragmented.devices[0].oom->largest_free, 25);
  EXPECT_THAT(MemoryText({fragmented}, {}), HasSubstr("expandable_segments:True"));
  snapshot.traces[0][0].size = 50;
  const MemorySummary full = SummarizeMemory(snapshot);
  EXPECT_FALSE(full.devices[0].oom->fragmented);
  EXPECT_THAT(MemoryText({full}, {}), HasSubstr("really full"));
}

TEST(MemorySummary, TwoSnapshotsByCallSite) {
  const std::vector<SiteBytes> before = {{"a", 10, 1}, {"b", 5, 1}, {"c", 7, 2}};
  const std::vector<SiteBytes> after = {{"a", 40, 3}, {"c", 7, 2}};
  const std::vector<SiteBytes> changes = CompareSites(before, after);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].site, "a");
  EXPECT_EQ(changes[0].bytes, 30);
  EXPECT_EQ(changes[1].site, "b");
  EXPECT_EQ(changes[1].bytes, -5);
}

}  // namespace
}  // namespace stepscope
