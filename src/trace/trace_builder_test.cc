#include "trace/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

using testing::ElementsAre;

struct Built {
  Trace trace;
  Diagnostics diagnostics;
};

Built BuildOf(std::vector<EventBlock> blocks, unsigned threads = 1) {
  TraceBuilder builder;
  for (EventBlock& block : blocks) builder.Append(std::move(block));
  TaskPool pool(threads);
  Built built;
  built.trace = std::move(builder).Build({}, {}, {}, {}, pool, built.diagnostics);
  return built;
}

Built BuildOf(std::string_view text) {
  std::vector<EventBlock> blocks;
  blocks.push_back(TraceTextBlock(text));
  return BuildOf(std::move(blocks));
}

std::string ParentName(const Trace& trace, std::string_view name) {
  const SliceId parent = trace.slices.parent[SliceNamed(trace, name)];
  return parent == kNoSlice ? "" : std::string(trace.Name(Index(parent)));
}

TEST(TraceBuilder, NestsByTimeWhateverTheOrderInTheFile) {
  const Trace trace = TraceText(R"(
    main  launch#1 12..14  aten::mm 10..30  aten::linear 10..40
    main  aten::relu 40..50
  )");
  EXPECT_EQ(ParentName(trace, "cudaLaunchKernel"), "aten::mm");
  EXPECT_EQ(ParentName(trace, "aten::mm"), "aten::linear");
  EXPECT_EQ(ParentName(trace, "aten::linear"), "");
  EXPECT_EQ(ParentName(trace, "aten::relu"), "") << "half open: it starts where the other ends";
  EXPECT_THAT(trace.slices.depth, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(trace.slices.event, ElementsAre(2, 1, 0, 3));
  EXPECT_EQ(trace.slices.start[0].ns, 0) << "time counts from the earliest event";
  EXPECT_EQ(trace.span.ns, 40);
}

TEST(TraceBuilder, PutsOverlappingSpansOnLanesWithWhatTheyContain) {
  const auto [trace, diagnostics] = BuildOf(R"(
    main  first 0..10  second 5..20  inside 12..15  third 6..30  after 40..50
  )");
  ASSERT_EQ(trace.tracks.size(), 3U);
  EXPECT_EQ(trace.Name(trace.tracks[0].slices.first), "first");
  EXPECT_EQ(trace.tracks[0].slices.size(), 2U) << "first and after";
  EXPECT_EQ(trace.tracks[1].lane, 1U);
  EXPECT_EQ(trace.tracks[1].key, trace.tracks[0].key);
  EXPECT_EQ(trace.tracks[2].lane, 2U);
  // Open at 12 are second (since 5) and third (since 6): the innermost is the one that began last.
  EXPECT_EQ(ParentName(trace, "inside"), "third");
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kOverlappingSlices), 3U);
}

TEST(TraceBuilder, KeepsDeviceRowsApartAndKnowsTheirDevices) {
  const Trace trace = TraceText(R"(
    main    launch#1 0..1
    gpu:1/3 gemm#1 2..5  ncclDevKernel_AllReduce#2 5..9
    gpu:0   gemm#3 2..5
  )");
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.devices[0].index, 0);
  const Track& stream = trace.tracks[1];
  EXPECT_EQ(stream.kind, TrackKind::kStream);
  EXPECT_EQ(stream.device, 1);
  EXPECT_EQ(stream.stream, 3);
  EXPECT_EQ(trace.tracks[0].kind, TrackKind::kThread);
  const uint32_t collective = SliceNamed(trace, "ncclDevKernel_AllReduce");
  EXPECT_EQ(trace.slices.kind[collective], Kind::kCollective);
  EXPECT_EQ(trace.DeviceOf(collective).slice, collective);
  EXPECT_EQ(trace.TrackOf(collective), TrackId{1});
}

TEST(TraceBuilder, JoinsBlocksInFileOrder) {
  std::vector<EventBlock> blocks;
  blocks.push_back(TraceTextBlock("main  a 0..10\n gpu:0 k#5 1..2 bytes=7"));
  blocks.push_back(TraceTextBlock("gpu:0 k#6 3..4\n main  b 10..20 dims=[[2]]  a 20..30"));
  const auto [trace, diagnostics] = BuildOf(std::move(blocks));
  EXPECT_EQ(trace.events.in_file, 5U);
  ASSERT_EQ(trace.tracks.size(), 2U);
  EXPECT_EQ(trace.tracks[0].slices.size(), 3U);
  EXPECT_THAT(trace.slices.event, ElementsAre(0, 3, 4, 1, 2));
  EXPECT_EQ(trace.slices.name[0], trace.slices.name[2]) << "one string, both blocks";
  EXPECT_EQ(trace.DeviceOf(4).correlation, 6U);
  EXPECT_EQ(trace.DeviceOf(3).bytes, 7);
  EXPECT_EQ(trace.strings[trace.op_args[trace.slices.args[1]].input_dims], "[[2]]");
  EXPECT_EQ(trace.strings[trace.tracks[0].name], "main");
}

EventBlock HalvesOf(std::vector<std::tuple<const char*, int64_t, bool>> halves,
                    TrackKind kind = TrackKind::kThread) {
  EventBlock block = TraceTextBlock("main  other 0..100");
  block.tracks[0].kind = kind;
  for (const auto& [name, time, begin] : halves) {
    block.halves.push_back({.time = time,
                            .name = block.strings.Intern(name),
                            .event = static_cast<uint32_t>(block.event_count++),
                            .kind = Kind::kOp,
                            .begin = begin});
  }
  return block;
}

TEST(TraceBuilder, RemembersWhereEachBlockBeginsInTheFile) {
  std::vector<EventBlock> blocks(3);
  blocks[0].offset = 17;
  blocks[0].event_count = 5;
  blocks[1].offset = 900;  // nothing in it: no place of its own
  blocks[2].offset = 1000;
  blocks[2].event_count = 2;
  const Built built = BuildOf(std::move(blocks));
  ASSERT_EQ(built.trace.places.size(), 2U);
  EXPECT_EQ(built.trace.places[0].event, 0U);
  EXPECT_EQ(built.trace.places[0].offset, 17U);
  EXPECT_EQ(built.trace.places[1].event, 5U);
  EXPECT_EQ(built.trace.places[1].offset, 1000U);
}

TEST(TraceBuilder, MatchesBeginsWithEnds) {
  std::vector<EventBlock> blocks;
  blocks.push_back(HalvesOf({{"outer", 10, true}, {"inner", 20, true}}));
  blocks.push_back(HalvesOf({{"", 30, false}, {"outer", 40, false}, {"x", 50, false}}));
  const auto [trace, diagnostics] = BuildOf(std::move(blocks));
  EXPECT_EQ(trace.slices.duration[SliceNamed(trace, "inner")].ns, 10);
  EXPECT_EQ(trace.slices.duration[SliceNamed(trace, "outer")].ns, 30);
  EXPECT_EQ(ParentName(trace, "inner"), "outer");
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kUnmatchedEnd), 1U);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kUnmatchedBegin), 0U);
  EXPECT_EQ(trace.events.diagnosed, 1U);
  EXPECT_EQ(trace.events.stored(), 6U) << "two spans, and two pairs of halves";
}

TEST(TraceBuilder, UnmatchedBeginsLastToTheEndOfTheirRow) {
  std::vector<EventBlock> blocks;
  blocks.push_back(HalvesOf({{"open", 10, true},
                             {"lost", 20, true},
                             {"kept", 30, true},
                             {"kept", 35, false},
                             {"open", 50, false},
                             {"last", 60, true}}));
  const auto [trace, diagnostics] = BuildOf(std::move(blocks));
  const uint32_t lost = SliceNamed(trace, "lost");
  EXPECT_EQ(trace.slices.end(lost).ns, 50) << "what holds it ended";
  EXPECT_EQ(trace.slices.flags[lost], kUnfinished);
  EXPECT_EQ(trace.slices.end(SliceNamed(trace, "last")).ns, 100);
  EXPECT_EQ(trace.slices.flags[SliceNamed(trace, "kept")], 0);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kUnmatchedBegin), 2U);
}

TEST(TraceBuilder, AsynchronousSpansMayCross) {
  std::vector<EventBlock> blocks;
  blocks.push_back(HalvesOf({{"x", 10, true}, {"y", 20, true}, {"x", 30, false}, {"y", 40, false}},
                            TrackKind::kAsync));
  const auto [trace, diagnostics] = BuildOf(std::move(blocks));
  EXPECT_EQ(trace.slices.duration[SliceNamed(trace, "x")].ns, 20);
  EXPECT_EQ(trace.slices.duration[SliceNamed(trace, "y")].ns, 20);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kUnmatchedBegin), 0U);
}

TEST(TraceBuilder, SurvivesExtremeTimes) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EventBlock block = TraceTextBlock("main  low 0..1  high 0..1  long 5..6  back 7..8  fine 1..2");
  block.start[0] = kMin;
  block.start[1] = kMax;
  block.duration[1] = kMax;
  block.duration[2] = kMax;
  block.duration[3] = -5;
  std::vector<EventBlock> blocks;
  blocks.push_back(std::move(block));
  const auto [trace, diagnostics] = BuildOf(std::move(blocks));
  EXPECT_EQ(trace.slices.size(), 5U);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kAbsurdDuration), 3U);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kNegativeDuration), 1U);
  const uint32_t absurd = SliceNamed(trace, "long");
  EXPECT_EQ(trace.slices.duration[absurd].ns, 0);
  EXPECT_EQ(trace.slices.flags[absurd], kKeptOutOfSums);
  EXPECT_EQ(trace.slices.duration[SliceNamed(trace, "fine")].ns, 1);
  EXPECT_EQ(trace.events.diagnosed, 0U) << "they are stored";
}

TEST(TraceBuilder, AnEmptyFileIsAnEmptyTrace) {
  const auto [trace, diagnostics] = BuildOf(std::vector<EventBlock>());
  EXPECT_EQ(trace.slices.size(), 0U);
  EXPECT_EQ(trace.span.ns, 0);
}

}  // namespace
}  // namespace stepscope
