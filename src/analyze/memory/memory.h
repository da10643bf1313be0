#pragma once

#include <vector>

#include "analyze/report.h"

namespace stepscope {

// What was allocated, when it peaked and which ops held it then, one row per device with
// allocations. O(allocations), plus a lookup in the ops of the thread for each one live at the
// peak.
std::vector<MemoryRow> AnalyzeMemory(const Trace& trace, const Steps& steps);

}  // namespace stepscope
