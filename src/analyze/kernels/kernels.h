#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/device_work.h"

namespace stepscope {

struct LaunchedBy {
  StringId op = kEmptyString;
  DurationNs total;
};
struct KernelRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kKernel;
  int32_t device = 0;
  uint64_t calls = 0;
  DurationNs total, min, max, p50;
  KernelCategory category = KernelCategory::kOther;
  bool tensor_core = false;
  std::vector<LaunchedBy> launched_by;
  std::optional<double> mean_blocks_per_sm, mean_occupancy_percent;
};

// One row per (device, kind, name), kind being kernel, memcpy or memset: collectives are kernels of
// category communication. O(n).
std::vector<KernelRow> AnalyzeKernels(const Trace& trace, const Links& links,
                                      const DeviceWork& work);

}  // namespace stepscope
