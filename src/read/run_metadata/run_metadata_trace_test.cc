#include "read/run_metadata/run_metadata_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/data.h"
#include "read/run_metadata/device_choice.h"
#include "read/run_metadata/stats_device.h"

namespace stepscope {
namespace {

struct Read {
  Trace trace;
  Diagnostics diagnostics;
};

Read ReadRuns(const std::vector<std::string>& files) {
  Read read;
  std::vector<RunMetadata> runs;
  for (const std::string& file : files) {
    Result<RunMetadata> run = ReadRunMetadata(file, read.diagnostics);
    EXPECT_TRUE(run) << file;
    if (run) runs.push_back(std::move(*run));
  }
  TaskPool pool(1);
  read.trace = BuildRunMetadataTrace(runs, nullptr, files.front(), pool, read.diagnostics);
  return read;
}

uint64_t CountKind(const Trace& trace, Kind kind) {
  uint64_t count = 0;
  for (const Kind k : trace.slices.kind) count += k == kind;
  return count;
}

TEST(BuildRunMetadataTraceAcceptance, EachKernelOfTensorFlow1CountsOnce) {
  const Read read = ReadRuns({AcceptanceData("tfprof/run_meta")});
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.in_file, 54u);
  EXPECT_EQ(trace.events.diagnosed, 0u);
  EXPECT_EQ(CountKind(trace, Kind::kKernel), 21u);
  EXPECT_EQ(CountKind(trace, Kind::kCopy), 2u);
  EXPECT_EQ(CountKind(trace, Kind::kDeviceOp), 21u + 2);
  EXPECT_EQ(CountKind(trace, Kind::kOp), 8u);
  EXPECT_EQ(CountKind(trace, Kind::kStep), 1u);
  EXPECT_EQ(trace.facts.start_unix_ns, 1501352001581099000);
  // From the first op's start to _retval's end at 1501352001585806 + 43 µs.
  EXPECT_EQ(trace.span.ns, (1501352001585849 - 1501352001581099) * 1000);
  int64_t bytes = 0;
  for (const DeviceArgs& args : trace.device_args) {
    if (trace.slices.kind[args.slice] == Kind::kCopy) bytes += args.bytes;
  }
  EXPECT_EQ(bytes, 112 + 384);
  EXPECT_EQ(trace.devices.size(), 1u);
}

TEST(BuildRunMetadataTrace, SeveralRunsAreStepsInNanoseconds) {
  const Read read = ReadRuns({TestData("tf/conv/run_meta_0.pb"), TestData("tf/conv/run_meta_1.pb"),
                              TestData("tf/conv/run_meta_2.pb")});
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.in_file, 3u * 356);
  EXPECT_EQ(trace.events.diagnosed, 0u);
  EXPECT_EQ(CountKind(trace, Kind::kStep), 3u);
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.Name(i) == "loss/spectral_norm/Const:Const") {
      EXPECT_NE(trace.slices.duration[i].ns % 1000, 0);  // 3,004 ns in run 1: not 3 µs
      return;
    }
  }
  ADD_FAILURE() << "no loss/spectral_norm/Const";
}

TEST(BuildRunMetadataTrace, RowsWithoutATimeAreCounted) {
  const Read read = ReadRuns({TestData("tf/gpu/run_meta_1.pb")});
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.in_file, 142u + 214 + 221 + 221 + 16);
  EXPECT_EQ(trace.events.diagnosed, read.diagnostics.CountOf(Diagnostic::kEventWithoutTime));
  EXPECT_EQ(CountKind(trace, Kind::kKernel), 221u);
  EXPECT_EQ(CountKind(trace, Kind::kCopy), 16u);
}

// Two ops: the first holds 100 bytes while it runs and leaves 60 that the second takes.
TEST(BuildRunMetadataTrace, OutputsLiveUntilTheirLastUse) {
  RunMetadata run;
  DeviceStepStats& device = run.devices.emplace_back();
  device.device = "/job:localhost/replica:0/task:0/device:GPU:0";
  NodeExecStats first;
  first.name = "a";
  first.label = "a = MatMul(x, y)";
  first.all_start_micros = 1'000'000'000;
  first.all_end_rel_micros = 10;
  first.memory.push_back({"GPU_0_bfc", 100, 100, 60, 0, {}});
  NodeExecStats second;
  second.name = "b";
  second.label = "b = Relu(a)";
  second.all_start_micros = 1'000'000'020;
  second.all_end_rel_micros = 5;
  device.nodes = {first, second};
  run.rows = 2;
  TaskPool pool(1);
  Diagnostics diagnostics;
  const Trace trace = BuildRunMetadataTrace({&run, 1}, nullptr, "t", pool, diagnostics);
  std::vector<std::pair<int64_t, int64_t>> events;
  for (const Allocation& a : trace.allocations) {
    EXPECT_EQ(a.device_type, DeviceType::kGpu);
    events.emplace_back(a.time.ns, a.bytes);
  }
  const std::vector<std::pair<int64_t, int64_t>> expected = {
      {0, 40}, {0, 60}, {10'000, -40}, {25'000, -60}};
  EXPECT_EQ(events, expected);
}

TEST(ParseStatsDevice, SpellingsOfAllVersions) {
  const auto rows = [](std::string_view name) { return ParseStatsDevice(name).rows; };
  EXPECT_EQ(rows("/job:localhost/replica:0/task:0/gpu:0"), StatsRows::kOps);
  EXPECT_EQ(rows("/job:localhost/replica:0/task:0/device:CPU:0"), StatsRows::kOps);
  EXPECT_EQ(rows("/gpu:0/stream:all"), StatsRows::kAllStreams);
  EXPECT_EQ(rows("/job:a/device:GPU:0:stream:all"), StatsRows::kAllStreams);
  EXPECT_EQ(rows("/gpu:0/memcpy"), StatsRows::kCopies);
  EXPECT_EQ(rows("/device:GPU:0/sync"), StatsRows::kSync);
  const StatsDevice stream = ParseStatsDevice("/device:GPU:3/stream:12<MemcpyH2D>");
  EXPECT_EQ(stream.rows, StatsRows::kStream);
  EXPECT_EQ(stream.index, 3);
  EXPECT_EQ(stream.stream, 12);
}

TEST(Labels, OpTypesInputsAndNodes) {
  EXPECT_EQ(OpTypeOfLabel("[GPU_0_bfc 12.0MB 6.0MB] Conv2D_1 = Conv2D(Conv2D, DW2)"), "Conv2D");
  EXPECT_EQ(OpTypeOfLabel("_SOURCE = NoOp()"), "NoOp");
  EXPECT_EQ(OpTypeOfLabel("Conv2D_1:Conv2D regs:18 shm:0"), "Conv2D");
  EXPECT_EQ(OpTypeOfLabel("sgemm regs:18 @@dense/MatMul:MatMul#id=1#"), "MatMul");
  EXPECT_EQ(OpTypeOfLabel("[1024B] edge_10 from /job:ps to /job:worker"), "");
  std::string_view inputs = InputsOfLabel("c = Add(a, b:1, ^d)");
  EXPECT_EQ(NextInputOfLabel(inputs), "a");
  EXPECT_EQ(NextInputOfLabel(inputs), "b");
  EXPECT_EQ(NextInputOfLabel(inputs), "");
  EXPECT_TRUE(inputs.empty());
  EXPECT_EQ(NodeOfGpuRow("conv/Conv2D:Conv2D", ""), "conv/Conv2D");
  EXPECT_EQ(NodeOfGpuRow("MEMCPYHtoD", "MEMCPYHtoD: gradients/AddN_6 num_bytes: 9"),
            "gradients/AddN_6");
  EXPECT_EQ(NodeOfGpuRow("MEMCPYDtoHAsync", "Conv2D_1/_0:_Send::edge_10 num_bytes: 384"),
            "Conv2D_1/_0");
  EXPECT_EQ(CopiedBytes("Conv2D:Conv2D num_bytes: 112 destination: 0 async: false"), 112);
}

}  // namespace
}  // namespace stepscope
