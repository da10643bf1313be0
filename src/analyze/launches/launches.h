#pragma once

#include "analyze/device_work.h"
#include "analyze/report.h"

namespace stepscope {

// The hardware's limit on work queued to a stream; a launch beyond it blocks.
inline constexpr uint64_t kQueueLimit = 1024;

// What launching costs and how far ahead of the device the host is. O(n), plus a sort where calls
// of several threads interleave on one stream.
Launches AnalyzeLaunches(const Trace& trace, const Links& links, const DeviceWork& work);

}  // namespace stepscope
