#pragma once

#include <vector>

#include "analyze/breakdown/device_sets.h"
#include "analyze/report.h"
#include "base/intervals.h"

namespace stepscope {

// Where the time of each window goes on one device, one row per window: compute, then
// communication, copies and memsets while none of the earlier ones runs, then idle. The parts add
// up to the window. Idle causes are left empty. O(n + windows · log n).
std::vector<DeviceStep> AnalyzeBreakdown(int32_t device, const DeviceSets& sets,
                                         const std::vector<Interval>& windows);

// From the first start to the last end; memsets count as compute, as in other tools.
TimelineTotals TimelineOf(const DeviceSets& sets);

}  // namespace stepscope
