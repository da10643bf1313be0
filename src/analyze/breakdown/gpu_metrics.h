#pragma once

#include <optional>
#include <span>

#include "base/intervals.h"
#include "link/device_work.h"
#include "trace/trace.h"

namespace stepscope {

// The TensorBoard plugin's figures of a device over a window, in percent; none where the profile
// does not hold what they are made of.
struct GpuMetrics {
  std::optional<double> utilization;    // of the window with a kernel running
  std::optional<double> sm_efficiency;  // the same, weighted by min(blocks per SM, 1)
  std::optional<double> occupancy;      // mean of the kernels' estimate, weighted by duration
  std::optional<double> tensor_core;    // of kernel time, whole profile
};

// Work in order of start. O(n log(concurrent kernels)).
GpuMetrics AnalyzeGpuMetrics(const Trace& trace, WorkSpan work, Interval window);

}  // namespace stepscope
