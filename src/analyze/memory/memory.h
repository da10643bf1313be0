#pragma once

#include <vector>

#include "analyze/report.h"

namespace stepscope {

// What was allocated, where it peaked and who held it then, one row a device with allocations.
// O(allocations), plus a lookup in the ops of the thread for each one live at the peak.
std::vector<MemoryRow> AnalyzeMemory(const Trace& trace, const Steps& steps);

}  // namespace stepscope
