#include "present/testing/sample_report.h"

#include <memory>
#include <string_view>
#include <utility>

namespace stepscope {
namespace {

constexpr std::string_view kKernel =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";

Trace MakeTrace() {
  Trace trace;
  trace.path = "dir/sample.json";
  trace.facts.format = Format::kKineto;
  trace.facts.framework = "PyTorch";
  trace.facts.rank = 0;
  trace.facts.world_size = 2;
  trace.facts.start_unix_ns = 1'760'000'000'000'000'001;
  trace.facts.notes["cuda_driver_version"] = "13000";
  trace.events.in_file = 61'234;
  trace.events.diagnosed = 4;
  trace.events.by_phase = {{"X", 61'230}, {"q", 4}};
  trace.events.complete_by_category = {{"kernel", 5'120}};
  trace.devices = {{.index = 0,
                    .name = "NVIDIA H200",
                    .memory_bytes = 150'000'000'000,
                    .compute_capability = "9.0",
                    .sm_count = 132}};
  trace.span = {230'000'000};
  return trace;
}

Step MakeStep(int64_t number, int64_t start, int64_t duration, WhyUnused why) {
  Step step;
  step.name = "ProfilerStep#" + std::to_string(number);
  step.number = number;
  step.host_start = step.start = {start};
  step.host_duration = step.duration = {duration};
  step.why_unused = why;
  return step;
}

StepBreakdown MakeBreakdown(int64_t duration) {
  DeviceStep device;
  device.compute = {duration * 4 / 10};
  device.copy = device.exposed_copy = {duration / 100};
  device.busy = device.compute + device.exposed_copy;
  device.idle = DurationNs{duration} - device.busy;
  device.idle_causes[static_cast<size_t>(Cause::kInput)] = {duration / 2};
  device.idle_causes[static_cast<size_t>(Cause::kSync)] = device.idle - DurationNs{duration / 2};
  StepBreakdown breakdown;
  breakdown.devices.push_back(device);
  breakdown.priority = PriorityPartition{.kernel = device.compute,
                                         .memcpy = device.exposed_copy,
                                         .dataloader = {duration / 2},
                                         .other = device.idle - DurationNs{duration / 2}};
  return breakdown;
}

void AddTables(Trace& trace, Report& report) {
  OpRow op;
  op.name = trace.strings.Intern("aten::add");
  op.calls = op.calls_outermost = op.calls_launching = 1'024;
  op.host_self = op.host_total = {5'000'000};
  op.device_self = op.device_total = {80'000'000};
  report.ops.push_back(op);
  op.input_dims = trace.strings.Intern("[[64,1024],[]]");
  report.ops_by_shape.push_back(op);
  KernelRow kernel;
  kernel.name = trace.strings.Intern(kKernel);
  kernel.calls = 1'024;
  kernel.total = {80'000'000};
  kernel.min = {70'000};
  kernel.max = {90'000};
  kernel.p50 = {78'125};
  kernel.category = KernelCategory::kElementwise;
  kernel.launched_by = {{op.name, {80'000'000}}};
  kernel.mean_occupancy_percent = 54.68;
  report.kernels.push_back(kernel);
  report.modules.push_back({"Net > layer1", 2, {9'000'000}, {80'000'000}});
  report.memory.push_back({.type = DeviceType::kGpu,
                           .device = 0,
                           .peak_allocated_bytes = 12'884'901'888,
                           .growth_bytes_per_step = 33'554'432,
                           .peak_of_running_sum_bytes = 1'024,
                           .top_ops = {{op.name, 33'554'432}}});
  report.communication = Communication{.union_time = {1'000},
                                       .overlap_with_kernels = {400},
                                       .exposed_vs_kernels = {600},
                                       .by_collective = {{"gloo:all_reduce", 3, {1'000}, 4'096}}};
  report.input.wait = {{50'000'000}, {65'000'000}};
  report.input.stages = {{"Map", "Root > Batch > Map", {40'000'000}, 64, true}};
  report.counters.push_back({.name = trace.strings.Intern("memory"), .samples = 2, .max = 0.5});
  report.launches = {
      .calls = 1'000,
      .pairs = 1'024,
      .median_call = DurationNs{5'100},
      .median_delay = DurationNs{12'000},
      .queue_empty = 512,
      .queues = {{.stream = 7, .pairs = 1'024, .max = 3, .mean = 0.5, .empty = 512}}};
}

}  // namespace

SampleReport MakeSampleReport() {
  auto trace = std::make_unique<Trace>(MakeTrace());
  Trace& made = *trace;
  SampleReport sample{std::move(trace), made, LinkedTrace(made), {}};
  Report& report = sample.report;
  Links& links = sample.linked.links;
  links.device_events = links.linked_by_correlation = 1'024;
  Steps& steps = sample.linked.steps;
  steps.source = StepSource::kProfilerStep;
  steps.source_name = "ProfilerStep";
  steps.items = {MakeStep(1, 0, 100'000'000, WhyUnused::kUsed),
                 MakeStep(2, 100'000'000, 130'000'000, WhyUnused::kCut)};
  report.breakdown = {MakeBreakdown(100'000'000), MakeBreakdown(130'000'000)};
  report.step_statistics = {1, DurationNs{100'000'000}, DurationNs{100'000'000},
                            DurationNs{100'000'000}, DurationNs{100'000'000}};
  report.device_timeline.push_back({.utilization_percent = 41.0});
  report.idle_causes.push_back({.cause = Cause::kInput,
                                .total = {50'000'000},
                                .gaps = 1,
                                .longest = {.start = {1'000}, .length = {50'000'000}},
                                .example = "enumerate(DataLoader)#__next__"});
  report.verdict = {.bound_by = BoundBy::kInput, .share = 0.5, .step = 0, .device = 0};
  report.quality.Add(Diagnostic::kUnknownPhase, 4, 1'234, "q");
  report.quality.Add(Diagnostic::kStepCut);
  AddTables(sample.trace, report);
  return sample;
}

}  // namespace stepscope
