#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "advise/testing/advised.h"
#include "analyze/testing/real_trace.h"
#include "analyze/whatif/critical_path.h"

// The verdicts of other tools on the same files; docs/advise.md says where ours differ and why.
namespace stepscope {
namespace {

// What the TensorBoard plugin recommends (kineto_answers/*/tb_normalised.json, and its own check
// file for the two of 2021).
struct Recommended {
  bool loader;       // DataLoader over 5 % of the step
  bool utilization;  // GPU below 50 %
  bool tensor_cores;
};

void ExpectSameVerdicts(const Recommended& plugin, const std::string& file) {
  const AdvisedProfile advised = AdviseFiles({file});
  const Advice& advice = advised.advice.front();
  EXPECT_EQ(Fired(advice, "dataloader-workers-zero"), plugin.loader) << file;
  EXPECT_EQ(Fired(advice, "tensor-cores-unused"), plugin.tensor_cores) << file;
  // Ours speaks from 80 % down; the plugin from 50 %.
  if (plugin.utilization) {
    EXPECT_TRUE(Fired(advice, "gpu-low-utilization")) << file;
  }
}

TEST(TensorBoardPlugin, SameVerdicts) {
  ExpectSameVerdicts({false, false, false}, TestData("h200/resnet50_good.pt.trace.json.zst"));
  ExpectSameVerdicts({true, true, false}, Example("resnet50_inputbound.pt.trace.json.gz"));
  ExpectSameVerdicts({false, true, false}, TestData("h200/tiny_launchbound.pt.trace.json.zst"));
}

TEST(TensorBoardPluginAcceptance, SameVerdicts) {
  const std::string folder = "tb_plugin/resnet50_num_workers_";
  ExpectSameVerdicts({true, false, true},
                     AcceptanceData(folder + "0/worker0.1623143089861.pt.trace.json.gz"));
  ExpectSameVerdicts({false, false, true},
                     AcceptanceData(folder + "4/worker0.1623212756351.pt.trace.json.gz"));
}

// HolisticTraceAnalysis on simple_add, second instance of the annotation: 159 events on the path.
TEST(HolisticTraceAnalysisAcceptance, CriticalPathOfSimpleAdd) {
  const std::string file =
      "hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz";
  const RealReport real = ReportOf(AcceptanceData(file));
  const Trace& trace = real.trace();
  std::vector<uint32_t> marks;
  for (uint32_t s = 0; s < trace.slices.size(); ++s) {
    const bool host = trace.tracks[Index(trace.TrackOf(s))].kind == TrackKind::kThread;
    if (host && trace.Name(s) == "[param|pytorch.model.alex_net|0|0|0|measure|forward]")
      marks.push_back(s);
  }
  ASSERT_GE(marks.size(), 2u);
  std::sort(marks.begin(), marks.end(),
            [&](uint32_t a, uint32_t b) { return trace.slices.start[a] < trace.slices.start[b]; });
  const uint32_t mark = marks[1];
  Steps steps;
  Step step;
  step.marker = SliceId{mark};
  step.host_start = step.start = trace.slices.start[mark];
  step.host_duration = step.duration = trace.slices.duration[mark];
  steps.step_of_device.assign(trace.device_args.size(), kNoRow);
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const SliceId launch = real.linked.links.launch_of[row];
    if (launch == kNoSlice) continue;
    const TimeNs start = trace.slices.start[Index(launch)];
    if (start < step.start || start >= trace.slices.end(mark)) continue;
    steps.step_of_device[row] = 0;
    const TimeNs end = trace.slices.end(trace.device_args[row].slice);
    step.duration = std::max(step.duration, end - step.start);
  }
  steps.items.push_back(step);
  const std::array<uint32_t, 1> first{0};
  LinkedTrace linked(real.linked);
  linked.steps = steps;
  const StepGraph graph(linked, 0, DeviceRowsOf(trace, steps, first).front(), {});
  const std::vector<uint32_t> path = CriticalPathOf(graph);
  std::set<uint32_t> events;
  size_t device = 0;
  DurationNs covered{};
  for (const uint32_t id : path) {
    const WorkNode& node = graph.nodes()[id];
    if (node.slice != kNoSlice) events.insert(Index(node.slice));
    device += node.device ? 1 : 0;
    covered += node.end - node.start;
  }
  EXPECT_EQ(covered.ns, step.duration.ns);
  // HTA's path has 81 ops, 72 calls and 6 pieces of device work. Up to the launch of a kernel of
  // 392 µs near the end both are the same 153 events. There HTA goes over to the device and follows
  // its stream, because it ties the device's last work to the synchronising call at the end of the
  // step. That call starts 235 µs after the device has finished and waits for nothing: ours stays
  // on the host (7 ops, 7 calls), and has the annotation around all, which HTA leaves out.
  TimeNs leaves{INT64_MIN};
  TimeNs device_end{INT64_MIN};
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    if (steps.step_of_device[row] != 0) continue;
    const uint32_t slice = trace.device_args[row].slice;
    if (!IsDeviceWork(trace.slices.kind[slice])) continue;
    device_end = std::max(device_end, trace.slices.end(slice));
    if (trace.slices.duration[slice].ns == 392'000) {
      leaves = trace.slices.start[Index(real.linked.links.launch_of[row])];
    }
  }
  std::map<std::pair<Kind, bool>, size_t> on_path;  // by kind, and whether after HTA has left
  for (const uint32_t s : events) {
    ++on_path[{trace.slices.kind[s], trace.slices.start[s] > leaves}];
  }
  const std::map<std::pair<Kind, bool>, size_t> expected{{{Kind::kAnnotation, false}, 1},
                                                         {{Kind::kOp, false}, 81},
                                                         {{Kind::kOp, true}, 7},
                                                         {{Kind::kCall, false}, 72},
                                                         {{Kind::kCall, true}, 7}};
  EXPECT_EQ(on_path, expected);
  const auto last = std::max_element(events.begin(), events.end(), [&](uint32_t x, uint32_t y) {
    return trace.slices.start[x] < trace.slices.start[y];
  });
  EXPECT_EQ(trace.Name(*last), "cudaDeviceSynchronize");
  EXPECT_EQ((trace.slices.start[*last] - device_end).ns, 235'000);
  EXPECT_EQ(device, 0u);
  // It begins with the step and ends with it.
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(graph.nodes()[path.back()].start.ns, step.start.ns);
  EXPECT_EQ((graph.nodes()[path.front()].end - step.start).ns, step.duration.ns);
}

}  // namespace
}  // namespace stepscope
