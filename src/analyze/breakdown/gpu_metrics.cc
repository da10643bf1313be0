#include "analyze/breakdown/gpu_metrics.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

bool IsKernel(const Work& work) {
  return work.work_class == WorkClass::kCompute || work.work_class == WorkClass::kCommunication;
}

Interval Clip(Interval a, Interval window) {
  return {std::max(a.start, window.start), std::min(a.end, window.end)};
}

// Integral over time of min(sum of the running kernels' blocks per SM, 1). Kernels come by start;
// between two events the sum is constant.
class SmIntegral {
 public:
  void Add(Interval kernel, double blocks_per_sm) {
    RunUntil(kernel.start);
    running_.emplace(kernel.end, blocks_per_sm);
    sum_ += blocks_per_sm;
  }
  double Finish() {
    while (!running_.empty()) RunUntil(running_.top().first);
    return integral_;
  }

 private:
  void RunUntil(TimeNs time) {
    while (!running_.empty() && running_.top().first <= time) {
      Pass(running_.top().first);
      sum_ -= running_.top().second;
      running_.pop();
    }
    if (running_.empty()) sum_ = 0;
    Pass(time);
  }
  void Pass(TimeNs time) {
    if (!(now_ < time)) return;
    integral_ += std::min(sum_, 1.0) * static_cast<double>((time - now_).ns);
    now_ = time;
  }

  using Ending = std::pair<TimeNs, double>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running_;
  TimeNs now_;
  double sum_ = 0;
  double integral_ = 0;
};

std::optional<double> Percent(double part, double whole) {
  if (whole <= 0) return std::nullopt;
  return 100 * part / whole;
}

}  // namespace

GpuMetrics AnalyzeGpuMetrics(const Trace& trace, WorkSpan work, Interval window) {
  DurationNs covered;  // by kernels, in the window
  TimeNs covered_until = window.start;
  SmIntegral sm;
  bool has_blocks = false;
  double occupied = 0;
  double occupied_time = 0;
  int64_t kernel_time = 0;
  int64_t tensor_core_time = 0;
  for (const Work& item : work) {
    if (!IsKernel(item)) continue;
    kernel_time += (item.end - item.start).ns;
    if (trace.Traits(item.slice).tensor_core) tensor_core_time += (item.end - item.start).ns;
    const Interval part = Clip(item.interval(), window);
    if (part.length().ns == 0) continue;
    covered += Interval{std::max(part.start, covered_until), part.end}.length();
    covered_until = std::max(covered_until, part.end);
    if (item.row == kNoRow) continue;
    const DeviceArgs& args = trace.device_args[item.row];
    if (args.blocks_per_sm > 0) {
      has_blocks = true;
      sm.Add(part, static_cast<double>(args.blocks_per_sm));
    }
    if (args.occupancy_percent >= 0) {
      const auto time = static_cast<double>(part.length().ns);
      occupied += static_cast<double>(args.occupancy_percent) * time;
      occupied_time += time;
    }
  }
  const auto whole = static_cast<double>(window.length().ns);
  GpuMetrics metrics;
  if (kernel_time == 0) return metrics;
  metrics.utilization = Percent(static_cast<double>(covered.ns), whole);
  if (has_blocks) metrics.sm_efficiency = Percent(sm.Finish(), whole);
  if (occupied_time > 0) metrics.occupancy = occupied / occupied_time;
  metrics.tensor_core =
      Percent(static_cast<double>(tensor_core_time), static_cast<double>(kernel_time));
  return metrics;
}

}  // namespace stepscope
