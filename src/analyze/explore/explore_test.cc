#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/explore/calls.h"
#include "analyze/explore/flame.h"
#include "analyze/explore/holders.h"
#include "analyze/explore/op_graph.h"
#include "analyze/explore/search.h"
#include "analyze/explore/selection.h"
#include "analyze/report.h"
#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

using testing::ElementsAre;

TEST(StatisticsOfCalls, CountsAndSpreads) {
  const Trace trace = TraceText(R"(
    main  aten::mm 0..10  aten::mm 20..50  aten::mm 60..80  aten::relu 100..200
  )");
  const StringId name = trace.strings.Find("aten::mm");
  const CallStatistics calls = StatisticsOfCalls(trace, name, Kind::kOp);
  EXPECT_EQ(calls.calls, 3U);
  EXPECT_EQ(calls.total.ns, 60);
  EXPECT_EQ(calls.min.ns, 10);
  EXPECT_EQ(calls.p50.ns, 20);
  EXPECT_EQ(calls.p99.ns, 30);
  EXPECT_EQ(trace.slices.duration[calls.longest[0]].ns, 30);
  uint64_t counted = 0;
  for (const CallBin& bin : calls.histogram) counted += bin.count;
  EXPECT_EQ(counted, 3U);
  EXPECT_EQ(calls.histogram.front().from.ns, 10);
  EXPECT_EQ(calls.histogram.back().to.ns, 31);
  EXPECT_EQ(StatisticsOfCalls(trace, name, Kind::kKernel).calls, 0U);
}

TEST(SearchNames, OrdersHitsByTimeOverAllTracks) {
  const Trace trace = TraceText(R"(
    main      aten::mm 50..60  aten::addmm 0..10
    thread:2  aten::mm 20..30
  )");
  const SearchHits hits = SearchNames(trace, "MM", SearchMode::kText).value();
  std::vector<int64_t> starts;
  for (const uint32_t row : hits.slices) starts.push_back(trace.slices.start[row].ns);
  EXPECT_THAT(starts, ElementsAre(0, 20, 50));
  EXPECT_EQ(hits.names.size(), 2U);
  EXPECT_EQ(SearchNames(trace, "::mm$", SearchMode::kRegex)->count, 2U);
  EXPECT_EQ(SearchNames(trace, "::mm$", SearchMode::kText)->count, 0U);
  EXPECT_FALSE(SearchNames(trace, "(", SearchMode::kRegex).has_value());
}

TEST(AggregateSelection, TakesOnlyWhatIsInside) {
  const Trace trace = TraceText(R"(
    main   aten::mm 0..100   launch#1 10..14
    gpu:0  gemm#1 20..60     gemm#2 80..120
  )");
  TaskPool pool(1);
  const Timeline timeline(trace, {}, pool);
  const Links links = FindLinks(trace, pool);
  const Selection selection = AggregateSelection(timeline, links, {.stretch = {{50}, {100}}});
  EXPECT_EQ(selection.spans, 3U);
  ASSERT_EQ(selection.rows.size(), 2U);
  EXPECT_EQ(trace.strings[selection.rows[0].name], "aten::mm");
  EXPECT_EQ(selection.rows[0].total.ns, 50);
  EXPECT_EQ(selection.rows[1].calls, 2U);
  EXPECT_EQ(selection.rows[1].total.ns, 30) << "10 of the first gemm, 20 of the second";
  ASSERT_EQ(selection.devices.size(), 1U);
  EXPECT_EQ(selection.devices[0].busy.ns, 30);
}

TEST(AggregateSelection, AddsUpChosenLinesByNameKindOrOp) {
  const Trace trace = TraceText(R"(
    main   aten::mm 0..100   launch#1 10..14   aten::add 20..50
    gpu:0  gemm#1 20..60     gemm#2 80..120
  )");
  TaskPool pool(1);
  const Timeline timeline(trace, {}, pool);
  const Links links = FindLinks(trace, pool);
  const Interval all{{0}, {200}};
  const auto rows = [&](SelectionQuestion question) {
    std::map<std::string, std::pair<int64_t, int64_t>> found;  // total, self
    for (const SelectionRow& row : AggregateSelection(timeline, links, question).rows) {
      const std::string_view name = trace.strings[row.name];
      found[std::string(name.empty() ? NameOf(row.kind) : name)] = {row.total.ns, row.self.ns};
    }
    return found;
  };
  using Sums = std::pair<int64_t, int64_t>;
  const auto by_name = rows({.stretch = all});
  EXPECT_EQ(by_name.at("aten::mm"), (Sums{100, 66})) << "less the launch and aten::add";
  EXPECT_EQ(by_name.at("gemm"), (Sums{80, 80}));
  const auto by_kind = rows({.stretch = all, .by = SelectionBy::kKind});
  EXPECT_EQ(by_kind.at("framework_op"), (Sums{130, 96})) << "no nanosecond of self time twice";
  EXPECT_EQ(by_kind.at("kernel"), (Sums{80, 80}));
  const auto by_op = rows({.stretch = all, .by = SelectionBy::kOp});
  EXPECT_EQ(by_op.at("aten::mm"), (Sums{144, 110})) << "with its launch and the kernel of it";
  EXPECT_EQ(by_op.at("gemm"), (Sums{40, 40})) << "the one that nobody launched";
  std::vector<uint32_t> device;
  for (uint32_t i = 0; i < timeline.lines().size(); ++i) {
    const Line& line = timeline.lines()[i];
    const bool stream =
        line.kind == LineKind::kTrack && trace.tracks[Index(line.track)].kind == TrackKind::kStream;
    if (stream) device.push_back(i);
  }
  EXPECT_EQ(rows({.stretch = all, .lines = device}).size(), 1U);
}

// Of a host that is the device, all that is no gap is work.
TEST(AggregateSelection, KnowsWhatTheHostDoes) {
  const Trace trace = TraceText(R"(
    main   step:ProfilerStep#1 0..100  aten::mm 10..40  aten::add 60..90
  )");
  TaskPool pool(1);
  const Report report = Analyze(LinkTrace(trace, {}, pool), {}, {}, pool);
  const Timeline timeline(trace, report.idle_gaps, pool);
  const Links links = FindLinks(trace, pool);
  const Selection selection = AggregateSelection(timeline, links, {.stretch = {{20}, {80}}});
  ASSERT_EQ(selection.devices.size(), 1U);
  EXPECT_EQ(selection.devices[0].busy.ns, 40) << "20 to 40 and 60 to 80";
  int64_t idle = 0;
  for (const DurationNs part : selection.devices[0].idle) idle += part.ns;
  EXPECT_EQ(idle, 20);
}

std::map<std::string, int64_t> PathsOf(const FlameTree& tree) {
  std::map<std::string, int64_t> paths;
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    std::string path = tree.names[tree.nodes[i].name];
    for (uint32_t up = tree.nodes[i].parent; up != 0; up = tree.nodes[up].parent) {
      path = tree.names[tree.nodes[up].name] + ">" + path;
    }
    paths[path] = tree.nodes[i].value.ns;
  }
  return paths;
}

TEST(BuildFlame, MergesCallsWithTheSamePath) {
  const Trace trace = TraceText(R"(
    main   module:net 0..100  aten::mm 10..40  launch#1 15..20  aten::mm 50..90  launch#2 60..65
    gpu:0  gemm#1 30..80      gemm#2 90..110
  )");
  TaskPool pool(1);
  const Links links = FindLinks(trace, pool);
  const auto host = PathsOf(BuildFlame(trace, links, FlameBy::kStack, FlameMetric::kHost, 100));
  EXPECT_EQ(host.at("net"), 100);
  EXPECT_EQ(host.at("net>aten::mm"), 70);
  EXPECT_EQ(host.at("net>aten::mm>cudaLaunchKernel"), 10);
  const auto device =
      PathsOf(BuildFlame(trace, links, FlameBy::kModule, FlameMetric::kDevice, 100));
  EXPECT_THAT(device, ElementsAre(std::pair<const std::string, int64_t>("net", 70)));
  const FlameTree cut = BuildFlame(trace, links, FlameBy::kStack, FlameMetric::kHost, 2);
  EXPECT_EQ(cut.left_out, 1U);
}

TEST(BuildFlame, StepsAreCallsOfOneThing) {
  const Trace trace = TraceText(R"(
    main   step:ProfilerStep#7 0..100  op:a 10..40   step:ProfilerStep#8 100..300  op:a 110..150
  )");
  TaskPool pool(1);
  const FlameTree tree =
      BuildFlame(trace, FindLinks(trace, pool), FlameBy::kStack, FlameMetric::kHost, 100);
  const std::map<std::string, int64_t> expected = {{"ProfilerStep", 300}, {"ProfilerStep>a", 70}};
  EXPECT_EQ(PathsOf(tree), expected);
  EXPECT_EQ(tree.nodes[1].calls, 2U);
}

TEST(BuildFlame, SplitsNamesIntoScopes) {
  const Trace trace = TraceText("main  op:layer1/conv/MatMul 0..10  op:layer1/relu 20..25");
  TaskPool pool(1);
  const auto paths =
      PathsOf(BuildFlame(trace, FindLinks(trace, pool), FlameBy::kScope, FlameMetric::kHost, 100));
  EXPECT_EQ(paths.at("layer1"), 15);
  EXPECT_EQ(paths.at("layer1>conv>MatMul"), 10);
}

TEST(HoldersAt, KnowsWhatIsLive) {
  const Trace trace = TraceText(R"(
    main  aten::mm 0..15   aten::relu 16..40
    memory gpu:0  +512@10 +100@20 -512@30
  )");
  const Holders middle = HoldersAt(trace, DeviceType::kGpu, 0, {25});
  EXPECT_EQ(middle.bytes, 612);
  ASSERT_EQ(middle.holders.size(), 2U);
  EXPECT_EQ(middle.holders[0].op, "aten::mm");
  EXPECT_EQ(middle.holders[0].bytes, 512);
  EXPECT_EQ(HoldersAt(trace, DeviceType::kGpu, 0, {35}).bytes, 100);
  EXPECT_EQ(HoldersAt(trace, DeviceType::kGpu, 1, {35}).bytes, 0);
}

TEST(BuildOpGraph, CostsAndEdges) {
  Trace trace = TraceText("main  op:dense/MatMul 0..10  op:dense/MatMul 20..25");
  const StringId op = trace.strings.Intern("dense/MatMul:0");
  for (const int64_t bytes : {300, 200, -300})
    trace.allocations.push_back({.bytes = bytes, .op = op});
  GraphDef graph;
  graph.nodes.resize(3);
  graph.nodes[0].name = "x";
  graph.nodes[1].name = "dense/MatMul";
  graph.nodes[1].op = "MatMul";
  graph.nodes[1].inputs = {"x:0", "^x", "absent"};
  graph.nodes[2].name = "out";
  graph.nodes[2].inputs = {"dense/MatMul"};
  const OpGraph built = BuildOpGraph(graph, trace);
  EXPECT_EQ(built.nodes[1].host.ns, 15);
  EXPECT_EQ(built.nodes[1].allocated, 500);
  EXPECT_EQ(built.nodes[0].allocated, 0);
  EXPECT_THAT(built.nodes[1].inputs, ElementsAre(0U));
  EXPECT_THAT(built.nodes[2].inputs, ElementsAre(1U));
}

}  // namespace
}  // namespace stepscope
