#pragma once

#include <vector>

#include "analyze/breakdown/breakdown.h"
#include "base/intervals.h"
#include "link/device_work.h"

namespace stepscope {

// The TensorBoard plugin's overview: each nanosecond of a window goes to the first of kernel,
// memcpy, memset, communication, runtime, DataLoader, CPU ops that was going on anywhere in the
// profile, else to "other". Communication are collective ops on the host and the kernels that carry
// their external id. O(slices + windows · log n).
std::vector<PriorityPartition> PartitionByPriority(const Trace& trace, const DeviceWork& work,
                                                   const std::vector<Interval>& windows);

}  // namespace stepscope
