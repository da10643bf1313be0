#pragma once

#include <span>
#include <vector>

#include "analyze/breakdown/device_sets.h"
#include "trace/trace.h"

namespace stepscope {

// A GPU in two measures, over the time from the first to the last of its work in the profile.
struct GpuUse {
  int32_t device = 0;  // N of gpu:N
  // Mean of what NVML sampled, which is what nvidia-smi shows: the share of its sampling periods in
  // which any kernel ran, however short.
  double in_use = 0;
  double busy = 0;  // the share of the time in which work ran, from its own start and end
  uint64_t samples = 0;
};

// NVML's periods last up to a second: GPUs whose work spans less are left out, and so are those
// without samples. O(counters + intervals).
std::vector<GpuUse> AnalyzeGpuUse(const Trace& trace, std::span<const DeviceBusy> devices);

}  // namespace stepscope
