#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/breakdown/device_sets.h"
#include "analyze/idle/cause.h"
#include "base/intervals.h"
#include "base/time.h"

namespace stepscope {

struct DeviceStep {
  int32_t device = 0;  // index into Trace::devices
  DurationNs busy, compute, communication, exposed_communication, copy, exposed_copy, memset,
      exposed_memset, idle;
  std::array<DurationNs, kCauses> idle_causes{};  // adds up to idle
};
struct PriorityPartition {  // the TensorBoard plugin's; adds up to the step's duration
  DurationNs kernel, memcpy, memset, communication, runtime, dataloader, cpu_exec, other;
};
struct StepBreakdown {
  std::vector<DeviceStep> devices;
  std::optional<PriorityPartition> priority;  // none for the steps the plugin leaves out
};
struct TimelineTotals {
  DurationNs compute, exposed_communication, exposed_copy, busy, idle,
      total;  // memset counted as compute
};
struct DeviceTimeline {
  int32_t device = 0;
  TimelineTotals linked, all;
  std::optional<double> utilization_percent, sm_efficiency_percent, occupancy_percent,
      tensor_core_percent;
};

// Where the time of each window goes on one device, one row per window: compute, then
// communication, copies and memsets while none of the earlier ones runs, then idle. The parts add
// up to the window. Idle causes are left empty. O(n + windows · log n).
std::vector<DeviceStep> AnalyzeBreakdown(int32_t device, const DeviceSets& sets,
                                         const std::vector<Interval>& windows);

// From the first start to the last end; memsets count as compute, as in other tools.
TimelineTotals TimelineOf(const DeviceSets& sets);

}  // namespace stepscope
