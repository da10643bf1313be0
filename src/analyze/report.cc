#include "analyze/report.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyze/breakdown/breakdown.h"
#include "analyze/breakdown/device_sets.h"
#include "analyze/breakdown/gpu_metrics.h"
#include "analyze/breakdown/priority.h"
#include "analyze/comms/comms.h"
#include "analyze/counters/counters.h"
#include "analyze/device_work.h"
#include "analyze/hlo/hlo.h"
#include "analyze/idle/idle.h"
#include "analyze/input/input.h"
#include "analyze/kernels/kernels.h"
#include "analyze/launches/launches.h"
#include "analyze/memory/memory.h"
#include "analyze/modules/modules.h"
#include "analyze/ops/ops.h"
#include "analyze/quality/quality.h"
#include "analyze/recorded/recorded.h"
#include "analyze/selection.h"
#include "analyze/threads.h"
#include "analyze/verdict/verdict.h"
#include "analyze/windows.h"

namespace stepscope {
namespace {

// The inputs of one device's part of the report.
struct DevicePart {
  int32_t device = 0;
  std::vector<DeviceStep> by_window;
  DeviceIdle idle;
  DeviceTimeline timeline;
};

struct Shared {
  const Trace& trace;
  const Links& links;
  const Steps& steps;
  const DeviceWork& work;
  const Threads& threads;
  uint32_t main_thread;
  const std::vector<Interval>& windows;
  std::vector<int32_t> devices;  // that the report shows
  bool host_is_device = false;
  DeviceSets host_sets;  // then
};

void SelectSteps(const ReportOptions& options, Steps& steps) {
  for (Step& step : steps.items) {
    const bool before = options.first_step && step.number < *options.first_step;
    const bool after = options.last_step && step.number > *options.last_step;
    if (before || after) step.why_unused = WhyUnused::kNotSelected;
  }
}

std::vector<int32_t> ShownDevices(const Trace& trace, const DeviceWork& work,
                                  const ReportOptions& options, bool& host_is_device) {
  std::vector<int32_t> devices(work.devices().begin(), work.devices().end());
  if (const auto host = HostDevice(trace, work)) {
    devices = {*host};
    host_is_device = true;
  }
  if (options.device.empty()) return devices;
  std::erase_if(devices, [&](int32_t device) {
    const Device& known = trace.devices[static_cast<size_t>(device)];
    return DeviceIdOf(known.type, known.index) != options.device;
  });
  return devices;
}

// Whether work is on a shown device and was launched in a chosen step (in any, where all are).
bool IsShown(const Work& item, const Steps& steps, const std::vector<int32_t>& devices) {
  if (std::find(devices.begin(), devices.end(), item.device) == devices.end()) return false;
  const auto chosen = [](const Step& step) { return step.why_unused != WhyUnused::kNotSelected; };
  if (std::all_of(steps.items.begin(), steps.items.end(), chosen)) return true;
  const uint32_t step = item.row == kNoRow ? kNoRow : steps.step_of_device[item.row];
  return step != kNoRow && chosen(steps.items[step]);
}

// Memory of other devices than the one asked for.
void DropOtherMemory(const ReportOptions& options, std::vector<MemoryRow>& rows) {
  if (options.device.empty()) return;
  std::erase_if(rows, [&](const MemoryRow& row) {
    return DeviceIdOf(row.type, row.device) != options.device;
  });
}

StepStatistics StatisticsOf(const Steps& steps) {
  std::vector<DurationNs> durations;
  for (const Step& step : steps.items) {
    if (step.used()) durations.push_back(step.duration);
  }
  StepStatistics statistics;
  statistics.used = static_cast<uint32_t>(durations.size());
  if (durations.empty()) return statistics;
  std::sort(durations.begin(), durations.end());
  statistics.median = durations[(durations.size() - 1) / 2];
  statistics.min = durations.front();
  statistics.max = durations.back();
  statistics.p95 = durations[(durations.size() * 95 + 99) / 100 - 1];  // nearest rank
  return statistics;
}

// First start to last end of the steps the TensorBoard plugin would show.
Interval MetricsWindow(const Shared& shared) {
  if (shared.windows.empty()) return {};
  size_t last = shared.windows.size() - 1;
  if (!shared.steps.items.empty()) {
    last = std::max<size_t>(StepsKeptByPlugin(shared.trace, shared.steps), 1) - 1;
  }
  return {shared.windows.front().start, shared.windows[last].end};
}

DevicePart AnalyzeDevice(const Shared& shared, int32_t device) {
  const auto work = shared.host_is_device ? std::span<const Work>{} : shared.work.Of(device);
  const DeviceSets of_work = SetsOf(work, WhichWork::kAll);
  const DeviceSets& sets = shared.host_is_device ? shared.host_sets : of_work;
  DevicePart part;
  part.device = device;
  part.by_window = AnalyzeBreakdown(device, sets, shared.windows);
  const IdleInput input{shared.trace,   shared.links,       shared.steps,
                        shared.threads, shared.main_thread, shared.windows};
  part.idle = AnalyzeIdle(input, device, sets.busy, work);
  for (size_t w = 0; w < part.by_window.size(); ++w) {
    part.by_window[w].idle_causes = part.idle.by_window[w];
  }
  part.timeline.device = device;
  part.timeline.all = TimelineOf(sets);
  const bool all_linked =
      std::all_of(work.begin(), work.end(), [](const Work& w) { return w.linked; });
  part.timeline.linked =
      all_linked ? part.timeline.all : TimelineOf(SetsOf(work, WhichWork::kLinked));
  const GpuMetrics metrics = AnalyzeGpuMetrics(shared.trace, work, MetricsWindow(shared));
  part.timeline.utilization_percent = metrics.utilization;
  part.timeline.sm_efficiency_percent = metrics.sm_efficiency;
  part.timeline.occupancy_percent = metrics.occupancy;
  part.timeline.tensor_core_percent = metrics.tensor_core;
  return part;
}

Verdict VerdictOf(const Shared& shared, const std::vector<DevicePart>& parts) {
  const uint32_t window = MedianWindow(shared.windows, shared.steps);
  if (window == kNoRow || parts.empty()) return {};
  const DevicePart* busiest = &parts.front();
  for (const DevicePart& part : parts) {
    if (part.by_window[window].busy > busiest->by_window[window].busy) busiest = &part;
  }
  // The host launches nothing to itself: short gaps between its ops are host time.
  const DurationNs feeding = shared.host_is_device ? DurationNs{} : busiest->idle.feeding[window];
  const Shares shares = SharesOf(busiest->by_window[window], feeding);
  Verdict verdict = Judge(shares, shared.windows[window].length());
  if (!shared.steps.items.empty()) verdict.step = window;
  verdict.device = busiest->device;
  return verdict;
}

void JoinDevices(const Shared& shared, std::vector<DevicePart> parts,
                 const std::vector<PriorityPartition>& priorities, Report& report) {
  const size_t kept = StepsKeptByPlugin(shared.trace, shared.steps);
  report.breakdown.resize(shared.steps.items.size());
  for (size_t s = 0; s < report.breakdown.size(); ++s) {
    for (const DevicePart& part : parts) {
      report.breakdown[s].devices.push_back(part.by_window[s]);
    }
    if (s < kept) report.breakdown[s].priority = priorities[s];
  }
  report.verdict = VerdictOf(shared, parts);
  for (DevicePart& part : parts) {
    if (!shared.host_is_device) report.device_timeline.push_back(part.timeline);
    std::move(part.idle.causes.begin(), part.idle.causes.end(),
              std::back_inserter(report.idle_causes));
  }
}

}  // namespace

Report Analyze(const Trace& trace, const Diagnostics& read_diagnostics,
               const ReportOptions& options, TaskPool& pool) {
  Report report;
  report.quality = read_diagnostics;
  report.links = LinkTrace(trace, pool);
  report.steps = FindSteps(trace, report.links, report.quality);
  SelectSteps(options, report.steps);

  const DeviceWork work(trace, report.links);
  const Threads threads(trace);
  const std::vector<Interval> windows = WindowsOf(trace, work, report.steps);
  Shared shared{trace,   report.links, report.steps,
                work,    threads,      MainThread(trace, threads, report.links, report.steps),
                windows, {},           false,
                {}};
  shared.devices = ShownDevices(trace, work, options, shared.host_is_device);

  if (shared.host_is_device) shared.host_sets = HostSets(trace, report.links, threads, pool);

  // Tables are about what the user chose to see; breakdown and idle need all work there is.
  const StepSelection selection = SelectionOf(report.steps);
  const bool chosen = selection.host.has_value() || !options.device.empty();
  const DeviceWork shown = chosen ? work.Where([&](const Work& item) {
    return IsShown(item, report.steps, shared.devices);
  })
                                  : work;

  // Each task writes to its own place, so that the number of threads never shows. The longest
  // first.
  std::vector<DevicePart> parts(shared.devices.size());
  std::vector<PriorityPartition> priorities;
  OpTables ops;
  std::vector<std::function<void()>> tasks;
  for (size_t d = 0; d < parts.size(); ++d) {
    tasks.emplace_back([&, d] { parts[d] = AnalyzeDevice(shared, shared.devices[d]); });
  }
  tasks.emplace_back([&] { ops = AnalyzeOps(trace, report.links, shown, selection); });
  tasks.emplace_back([&] { report.memory = AnalyzeMemory(trace, report.steps); });
  tasks.emplace_back([&] { priorities = PartitionByPriority(trace, work, windows); });
  tasks.emplace_back([&] { report.kernels = AnalyzeKernels(trace, report.links, shown); });
  tasks.emplace_back([&] { report.launches = AnalyzeLaunches(trace, report.links, shown); });
  tasks.emplace_back(
      [&] { report.input = AnalyzeInput(trace, threads, shared.main_thread, windows); });
  tasks.emplace_back(
      [&] { report.communication = AnalyzeCommunication(trace, report.links, work); });
  tasks.emplace_back(
      [&] { report.modules = AnalyzeModules(trace, report.links, shown, selection); });
  tasks.emplace_back([&] { report.counters = AnalyzeCounters(trace); });
  tasks.emplace_back([&] { report.python = AnalyzePython(trace.recorded); });
  tasks.emplace_back([&] { report.hlo = AnalyzeHlo(trace, work); });
  pool.ForEach(tasks.size(), [&](size_t i) { tasks[i](); });

  report.ops = std::move(ops.by_name);
  report.ops_by_shape = std::move(ops.by_shape);
  report.step_statistics = StatisticsOf(report.steps);
  AddUnprofiledSteps(trace.recorded, report.step_statistics);
  JoinDevices(shared, std::move(parts), priorities, report);
  AddQuality(trace, report);
  DropOtherMemory(options, report.memory);
  return report;
}

}  // namespace stepscope
