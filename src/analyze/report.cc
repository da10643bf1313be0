#include "analyze/report.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyze/breakdown/gpu_metrics.h"
#include "analyze/breakdown/priority.h"
#include "analyze/idle/idle.h"
#include "analyze/quality/quality.h"
#include "analyze/selection.h"
#include "analyze/whatif/replay.h"
#include "link/windows.h"

namespace stepscope {
namespace {

// The inputs of one device's part of the report.
struct DevicePart {
  int32_t device = 0;
  std::vector<DeviceStep> by_window;
  DeviceIdle idle;
  DeviceTimeline timeline;
  DeviceBusy busy;
};

struct Shared {
  const LinkedTrace& linked;
  bool host_is_device() const { return linked.host_device.has_value(); }
  std::vector<int32_t> devices;  // all with work, or the host
  DeviceSets host_sets;          // where the host is the device
};

std::vector<int32_t> DevicesOf(const LinkedTrace& linked) {
  if (linked.host_device) return {*linked.host_device};
  return {linked.work.devices().begin(), linked.work.devices().end()};
}

// Whether the report shows the device.
bool IsShown(const Trace& trace, int32_t device, const ReportOptions& options) {
  const Device& known = trace.devices[static_cast<size_t>(device)];
  return options.device.empty() || DeviceIdOf(known.type, known.index) == options.device;
}

// Whether work was launched in a chosen step (in any, where all are).
bool IsChosen(const Work& item, const Steps& steps) {
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

// Measured where the recorder did so, else replayed.
void AddUnprofiled(const LinkedTrace& linked, const ReplayOfSteps& replay,
                   StepStatistics& statistics) {
  const UnprofiledSteps measured = FindUnprofiledSteps(linked.trace.recorded);
  statistics.unprofiled_median = measured.median;
  statistics.unprofiled = measured.count;
  if (measured.median || !statistics.median) return;
  if (const auto estimate = replay.Unprofiled(linked, *statistics.median)) {
    statistics.unprofiled_median = estimate->median;
    statistics.unprofiled_lo = estimate->lo;
    statistics.unprofiled_hi = estimate->hi;
  }
}

// First start to last end of the steps the TensorBoard plugin would show.
Interval MetricsWindow(const LinkedTrace& linked) {
  if (linked.windows.empty()) return {};
  size_t last = linked.windows.size() - 1;
  if (!linked.steps.items.empty()) {
    last = std::max<size_t>(StepsKeptByPlugin(linked.steps), 1) - 1;
  }
  return {linked.windows.front().start, linked.windows[last].end};
}

DevicePart AnalyzeDevice(const Shared& shared, int32_t device) {
  const LinkedTrace& linked = shared.linked;
  const auto work = shared.host_is_device() ? WorkSpan{} : linked.work.Of(device);
  DeviceSets of_work = SetsOf(work, WhichWork::kAll);
  const DeviceSets& sets = shared.host_is_device() ? shared.host_sets : of_work;
  DevicePart part;
  part.device = device;
  part.by_window = AnalyzeBreakdown(device, sets, linked.windows);
  part.idle = AnalyzeIdle(linked, device, sets.busy, work);
  for (size_t w = 0; w < part.by_window.size(); ++w) {
    part.by_window[w].idle_causes = part.idle.by_window[w];
  }
  part.timeline.device = device;
  part.timeline.all = TimelineOf(sets);
  const bool all_linked =
      std::all_of(work.begin(), work.end(), [](const Work& w) { return w.linked; });
  part.timeline.linked =
      all_linked ? part.timeline.all : TimelineOf(SetsOf(work, WhichWork::kLinked));
  const GpuMetrics metrics = AnalyzeGpuMetrics(linked.trace, work, MetricsWindow(linked));
  part.timeline.utilization_percent = metrics.utilization;
  part.timeline.sm_efficiency_percent = metrics.sm_efficiency;
  part.timeline.occupancy_percent = metrics.occupancy;
  part.timeline.tensor_core_percent = metrics.tensor_core;
  part.busy = {device, std::move(of_work.busy), std::move(of_work.compute)};
  return part;
}

Verdict VerdictOf(const Shared& shared, const std::vector<DevicePart>& parts) {
  const LinkedTrace& linked = shared.linked;
  const uint32_t window = MedianWindow(linked.windows, linked.steps);
  if (window == kNoRow || parts.empty()) return {};
  const DevicePart* busiest = &parts.front();
  for (const DevicePart& part : parts) {
    if (part.by_window[window].busy > busiest->by_window[window].busy) busiest = &part;
  }
  // The host launches nothing to itself: short gaps between its ops are host time.
  const DurationNs feeding = shared.host_is_device() ? DurationNs{} : busiest->idle.feeding[window];
  const Shares shares = SharesOf(busiest->by_window[window], feeding);
  Verdict verdict = Judge(shares, linked.windows[window].length());
  if (!linked.steps.items.empty()) verdict.step = window;
  verdict.device = busiest->device;
  return verdict;
}

// Gaps are kept of all devices, the rest of those that the report shows.
void JoinDevices(const Shared& shared, const ReportOptions& options, std::vector<DevicePart> parts,
                 const std::vector<PriorityPartition>& priorities, Report& report) {
  const LinkedTrace& linked = shared.linked;
  for (DevicePart& part : parts) report.idle_gaps.push_back(std::move(part.idle.gaps));
  std::erase_if(
      parts, [&](const DevicePart& part) { return !IsShown(linked.trace, part.device, options); });
  const size_t kept = StepsKeptByPlugin(linked.steps);
  report.breakdown.resize(linked.steps.items.size());
  for (size_t s = 0; s < report.breakdown.size(); ++s) {
    for (const DevicePart& part : parts) {
      report.breakdown[s].devices.push_back(part.by_window[s]);
    }
    if (s < kept) report.breakdown[s].priority = priorities[s];
  }
  report.verdict = VerdictOf(shared, parts);
  for (DevicePart& part : parts) {
    if (!shared.host_is_device()) {
      report.device_timeline.push_back(part.timeline);
      report.device_busy.push_back(std::move(part.busy));
    }
    std::move(part.idle.causes.begin(), part.idle.causes.end(),
              std::back_inserter(report.idle_causes));
  }
}

}  // namespace

std::optional<Report> Analyze(const LinkedTrace& linked, const Diagnostics& read_diagnostics,
                              const ReportOptions& options, TaskPool& pool,
                              const std::stop_token& stop) {
  const Trace& trace = linked.trace;
  const Links& links = linked.links;
  const Steps& steps = linked.steps;
  const DeviceWork& work = linked.work;
  const std::vector<Interval>& windows = linked.windows;
  Report report;
  report.quality = read_diagnostics;
  report.quality.Merge(linked.diagnostics);
  Shared shared{linked, DevicesOf(linked), {}};
  if (shared.host_is_device()) shared.host_sets = HostSets(trace, links, linked.threads, pool);

  // Tables are about what the user chose to see; breakdown and idle need all work there is.
  const StepSelection selection = SelectionOf(steps);
  const bool chosen = selection.host.has_value() || !options.device.empty();
  DeviceWork part;
  if (chosen) {
    part = work.Where([&](const Work& item) {
      return IsShown(trace, item.device, options) && IsChosen(item, steps);
    });
  }
  const DeviceWork& shown = chosen ? part : work;

  // Each task writes to its own place, so that the number of threads never shows. The longest
  // first.
  std::vector<DevicePart> parts(shared.devices.size());
  std::vector<PriorityPartition> priorities;
  OpTables ops;
  std::vector<std::function<void()>> tasks;
  for (size_t d = 0; d < parts.size(); ++d) {
    tasks.emplace_back([&, d] { parts[d] = AnalyzeDevice(shared, shared.devices[d]); });
  }
  tasks.emplace_back([&] { report.replay = std::make_shared<const ReplayOfSteps>(linked); });
  tasks.emplace_back([&] { ops = AnalyzeOps(trace, links, shown, selection); });
  tasks.emplace_back([&] { report.memory = AnalyzeMemory(trace, steps); });
  tasks.emplace_back([&] { priorities = PartitionByPriority(trace, work, windows); });
  tasks.emplace_back([&] { report.kernels = AnalyzeKernels(trace, links, shown); });
  tasks.emplace_back([&] { report.launches = AnalyzeLaunches(trace, links, shown); });
  tasks.emplace_back(
      [&] { report.input = AnalyzeInput(trace, linked.threads, linked.main_thread, windows); });
  tasks.emplace_back([&] { report.communication = AnalyzeCommunication(trace, links, work); });
  tasks.emplace_back([&] { report.modules = AnalyzeModules(trace, links, shown, selection); });
  tasks.emplace_back([&] { report.counters = AnalyzeCounters(trace); });
  tasks.emplace_back([&] { report.python = AnalyzePython(trace.recorded); });
  tasks.emplace_back([&] { report.hlo = AnalyzeHlo(trace, work); });
  pool.ForEach(tasks.size(), [&](size_t i) {
    if (!stop.stop_requested()) tasks[i]();
  });
  if (stop.stop_requested()) return std::nullopt;
  if (shared.host_is_device()) parts.front().idle.gaps.host_busy = std::move(shared.host_sets.busy);

  report.ops = std::move(ops.by_name);
  report.ops_by_shape = std::move(ops.by_shape);
  report.step_statistics = StatisticsOf(steps);
  AddUnprofiled(linked, *report.replay, report.step_statistics);
  JoinDevices(shared, options, std::move(parts), priorities, report);
  AddQuality(linked, report.memory, report.quality);
  DropOtherMemory(options, report.memory);
  return report;
}

}  // namespace stepscope
