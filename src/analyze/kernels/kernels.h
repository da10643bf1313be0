#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"

namespace stepscope {

// One row per (device, kind, name), kind being kernel, memcpy or memset: collectives are kernels of
// category communication. O(n).
std::vector<KernelRow> AnalyzeKernels(const Trace& trace, const Links& links,
                                      const DeviceWork& work);

}  // namespace stepscope
