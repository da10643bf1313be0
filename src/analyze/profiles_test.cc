// What is known of the project's own recordings (tests/data/README.md) and of HTA's traces.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

// A recording on the H200; four of them are the examples.
std::string H200(const std::string& name) {
  for (const char* example :
       {"cudagraph_infer", "nograph_infer", "resnet50_inputbound", "streams_overlap"}) {
    if (name == example) return Example(name + ".pt.trace.json.gz");
  }
  return TestData("h200/" + name + ".pt.trace.json.zst");
}

DurationNs IdleOf(const Report& report, std::optional<Cause> cause = {}) {
  DurationNs sum;
  for (const StepBreakdown& step : report.breakdown) {
    for (const DeviceStep& device : step.devices) {
      sum += cause ? device.idle_causes[static_cast<size_t>(*cause)] : device.idle;
    }
  }
  return sum;
}

TEST(Profiles, InputBound) {
  const RealReport real = ReportOf(H200("resnet50_inputbound"));
  EXPECT_EQ(IdleOf(real.report).ns, 630'235'970);
  EXPECT_EQ(IdleOf(real.report, Cause::kInput).ns, 531'772'481);
  EXPECT_EQ(real.report.verdict.bound_by, BoundBy::kInput);
  DurationNs waited;
  for (const DurationNs wait : real.report.input.wait) waited += wait;
  EXPECT_EQ(waited.ns, 531'772'481);
}

TEST(Profiles, LaunchBound) {
  const RealReport tiny = ReportOf(H200("tiny_launchbound"));
  EXPECT_EQ(IdleOf(tiny.report, Cause::kInput).ns, 0);
  EXPECT_EQ(tiny.report.verdict.bound_by, BoundBy::kLaunch);
  EXPECT_EQ(ReportOf(H200("nograph_infer")).report.verdict.bound_by, BoundBy::kLaunch);
}

TEST(Profiles, ComputeBound) {
  EXPECT_EQ(ReportOf(H200("resnet50_good")).report.verdict.bound_by, BoundBy::kCompute);
  EXPECT_EQ(ReportOf(H200("cudagraph_infer")).report.verdict.bound_by, BoundBy::kCompute);
}

TEST(Profiles, HardlyAnyIdleTimeIsUnexplained) {
  for (const char* name : {"cudagraph_infer", "et_linked", "gpt2_compiled", "gpt2_cudagraphs",
                           "gpt2_modules", "memory_leak", "nograph_infer", "resnet50_good",
                           "resnet50_inputbound", "streams_overlap", "tiny_launchbound"}) {
    DurationNs all;
    DurationNs unknown;
    const RealReport real = ReportOf(H200(name));
    for (const IdleCause& row : real.report.idle_causes) {
      all += row.total;
      if (row.cause == Cause::kUnknown) unknown += row.total;
    }
    EXPECT_LE(unknown.ns * 20, all.ns) << name;
  }
}

TEST(Profiles, Leak) {
  const RealReport real = ReportOf(H200("memory_leak"));
  ASSERT_FALSE(real.report.memory.empty());
  EXPECT_EQ(real.report.memory[0].growth_bytes_per_step.value(), 33'554'432);
}

TEST(Profiles, OneGraphLaunchForManyKernels) {
  const Launches& graph = ReportOf(H200("cudagraph_infer")).report.launches;
  EXPECT_EQ(graph.calls, 6u);  // one replay a step
  EXPECT_EQ(graph.pairs, 240u);
  const Launches& eager = ReportOf(H200("nograph_infer")).report.launches;
  EXPECT_EQ(eager.calls, 240u);
}

TEST(Profiles, CopiesBesideCompute) {
  const RealReport real = ReportOf(H200("streams_overlap"));
  EXPECT_EQ(real.report.launches.queues.size(), 2u);
  for (const StepBreakdown& step : real.report.breakdown) {
    EXPECT_GT(step.devices[0].copy, step.devices[0].exposed_copy);
  }
}

TEST(Profiles, ModuleFrames) {
  const RealReport real = ReportOf(H200("gpt2_modules"));
  ASSERT_FALSE(real.report.modules.empty());
  EXPECT_EQ(real.report.modules[0].calls, 2u);  // two steps
  EXPECT_GT(real.report.modules[0].device_total.ns, 0);
}

TEST(Profiles, SameReportAtAnyNumberOfThreads) {
  const RealReport one = ReportOf(H200("gpt2_modules"), 1);
  for (const unsigned threads : {2u, 7u}) {
    const RealReport many = ReportOf(H200("gpt2_modules"), threads);
    ASSERT_EQ(one.report.ops.size(), many.report.ops.size());
    for (size_t i = 0; i < one.report.ops.size(); ++i) {
      EXPECT_EQ(one.Name(one.report.ops[i].name), many.Name(many.report.ops[i].name));
      EXPECT_EQ(one.report.ops[i].device_total, many.report.ops[i].device_total);
    }
    ASSERT_EQ(one.report.idle_causes.size(), many.report.idle_causes.size());
    for (size_t i = 0; i < one.report.idle_causes.size(); ++i) {
      EXPECT_EQ(one.report.idle_causes[i].total, many.report.idle_causes[i].total);
      EXPECT_EQ(one.report.idle_causes[i].example, many.report.idle_causes[i].example);
    }
  }
}

// Collectives of CPU ranks: the rank that waits for the slow one is bound by communication.
TEST(Profiles, CollectivesOnTheHost) {
  const std::string bad = TestData("rules/straggler-or-imbalance.bad.r0.json.zst");
  const RealReport real = ReportOf(bad);
  ASSERT_TRUE(real.report.communication.has_value());
  EXPECT_EQ(real.report.communication->by_collective.at(0).name, "gloo:all_reduce");
  EXPECT_EQ(real.report.communication->by_collective.at(0).calls, 12u);
  EXPECT_EQ(real.report.communication->overlap_with_kernels.ns, 0);
  EXPECT_EQ(real.report.verdict.bound_by, BoundBy::kCommunication);
  EXPECT_EQ(real.DeviceName(real.report.verdict.device), "cpu:0");
  const RealReport fixed = ReportOf(TestData("rules/straggler-or-imbalance.fixed.r0.json.zst"));
  EXPECT_EQ(fixed.report.verdict.bound_by, BoundBy::kCompute);
}

// Ends of launch flows whose start is not in the file, of all such ends: {without, all}.
std::pair<uint64_t, uint64_t> EndsWithoutStart(const Trace& trace) {
  std::set<uint64_t> starts;
  for (const Flow& flow : trace.flows) {
    if (flow.phase == FlowPhase::kStart && trace.strings[flow.name] == "ac2g") {
      starts.insert(flow.id);
    }
  }
  std::pair<uint64_t, uint64_t> count;
  for (const Flow& flow : trace.flows) {
    if (flow.phase != FlowPhase::kEnd || trace.strings[flow.name] != "ac2g") continue;
    ++count.second;
    count.first += starts.contains(flow.id) ? 0 : 1;
  }
  return count;
}

// Device events of the steps before `last` inside the device's shadow of an annotation, for shadows
// that begin before `until`.
std::map<std::string, uint64_t> EventsByDeviceAnnotation(const RealReport& real, uint32_t last,
                                                         TimeNs until) {
  const Trace& trace = real.trace();
  std::map<std::string, uint64_t> count;
  for (uint32_t shadow = 0; shadow < trace.slices.size(); ++shadow) {
    if (trace.slices.kind[shadow] != Kind::kDeviceAnnotation) continue;
    if (trace.slices.start[shadow] >= until) continue;
    uint64_t& inside = count[std::string(real.Name(trace.slices.name[shadow]))];
    for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
      const uint32_t slice = trace.device_args[row].slice;
      if (slice == kNoRow || real.linked.steps.step_of_device[row] >= last) continue;
      if (trace.TrackOf(slice) != trace.TrackOf(shadow)) continue;
      inside += trace.slices.start[slice] >= trace.slices.start[shadow] &&
                        trace.slices.end(slice) <= trace.slices.end(shadow)
                    ? 1
                    : 0;
    }
  }
  return count;
}

TEST(HtaAcceptance, NsResolution) {
  const std::string path = "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz";
  const RealReport real = ReportOf(AcceptanceData(path));
  EXPECT_EQ(real.linked.links.device_events, 6095u);
  ASSERT_EQ(real.linked.steps.items.size(), 5u);
  uint64_t before_last = 0;
  for (const uint32_t step : real.linked.steps.step_of_device) before_last += step < 4 ? 1 : 0;
  EXPECT_EQ(before_last, 4876u);
  uint64_t kernels = 0;
  uint64_t copies = 0;
  uint64_t memsets = 0;
  for (const KernelRow& row : real.report.kernels) {
    (row.kind == Kind::kKernel ? kernels : row.kind == Kind::kCopy ? copies : memsets) += row.calls;
  }
  EXPECT_EQ(kernels, 4350u);
  EXPECT_EQ(copies, 1600u);
  EXPECT_EQ(memsets, 145u);
  // 12 names of annotations without the last step; markers of steps are not rows of ops.
  std::set<std::string_view> annotations;
  for (const OpRow& row : real.report.ops) {
    if (row.kind == Kind::kAnnotation) annotations.insert(real.Name(row.name));
  }
  EXPECT_EQ(annotations.size() + real.linked.steps.items.size(), 13u);
  // HTA forgets the shadow of step 104, which the device reaches while the host is in step 105: 27
  // events under the optimizer where the four steps launched 4 × 9.
  const TimeNs last_begins = real.linked.steps.items[4].host_start;
  const auto shadows = EventsByDeviceAnnotation(real, 4, last_begins);
  EXPECT_EQ(shadows.size(), 3u);
  EXPECT_EQ(shadows.at("Optimizer.step#SGD.step"), 27u);
  const auto all_shadows = EventsByDeviceAnnotation(real, 4, TimeNs{INT64_MAX});
  EXPECT_EQ(all_shadows.at("Optimizer.step#SGD.step"), 36u);
  EXPECT_EQ(EndsWithoutStart(real.trace()), std::make_pair(8928ul, 15023ul));
}

TEST(HtaAcceptance, CpuOnly) {
  const std::string path = "hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz";
  const RealReport real = ReportOf(AcceptanceData(path));
  EXPECT_TRUE(real.report.device_timeline.empty());
  EXPECT_TRUE(real.report.kernels.empty());
  EXPECT_EQ(real.linked.links.device_events, 0u);
  EXPECT_EQ(real.linked.steps.items.size(), 1u);  // the one the file marks
  EXPECT_EQ(real.report.communication.value().by_collective.at(0).calls, 10u);
  EXPECT_EQ(real.trace().facts.rank, 34);
  EXPECT_EQ(real.trace().facts.world_size, 300);
}

TEST(HtaAcceptance, RankWithoutGpu) {
  const std::string path = "hta/rank_non_gpu/rank_non_gpu.json.gz";
  const RealReport real = ReportOf(AcceptanceData(path));
  EXPECT_TRUE(real.report.launches.queues.empty());
  EXPECT_FALSE(real.report.launches.median_delay.has_value());
  EXPECT_TRUE(real.report.device_timeline.empty());
  EXPECT_TRUE(real.report.kernels.empty());
}

TEST(HtaAcceptance, NcclData) {
  const std::string path = "hta/nccl_parser_config/nccl_data.json.gz";
  const RealReport real = ReportOf(AcceptanceData(path));
  const Trace& trace = real.trace();
  uint64_t collectives = 0;
  std::map<std::string_view, uint64_t> by_name;
  DurationNs longest;
  uint32_t longest_row = kNoRow;
  int64_t largest = 0;
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const uint32_t slice = trace.device_args[row].slice;
    if (slice == kNoRow || trace.slices.kind[slice] != Kind::kCollective) continue;
    ++collectives;
    ASSERT_NE(trace.device_args[row].collective, kNoRow);
    const CollectiveArgs& args = trace.collectives[trace.device_args[row].collective];
    ++by_name[trace.strings[args.name]];
    largest = std::max(largest, args.in_elements);
    if (trace.slices.duration[slice] > longest) {
      longest = trace.slices.duration[slice];
      longest_row = row;
    }
  }
  EXPECT_EQ(collectives, 21u);
  EXPECT_EQ(longest.ns, 5'993'392);
  EXPECT_EQ(largest, 7'875'584);
  const CollectiveArgs& args = trace.collectives[trace.device_args[longest_row].collective];
  EXPECT_EQ(trace.strings[args.name], "allreduce");
  EXPECT_EQ(args.in_elements, 2'049'000);
  EXPECT_EQ(args.out_elements, 2'049'000);
  EXPECT_EQ(args.group_size, 2);
  EXPECT_EQ(trace.strings[args.group], "0");
  EXPECT_EQ(EndsWithoutStart(trace), std::make_pair(4878ul, 8652ul));
  ASSERT_TRUE(real.report.communication.has_value());
  uint64_t calls = 0;
  for (const CollectiveRow& row : real.report.communication->by_collective) calls += row.calls;
  EXPECT_EQ(calls, 21u);
  EXPECT_EQ(by_name["allreduce"], 15u);
  EXPECT_EQ(by_name["broadcast"], 6u);
}

}  // namespace
}  // namespace stepscope
