#pragma once

#include <vector>

#include "analyze/report.h"

namespace stepscope {

// One row per counter series, in the trace's order. The mean is over samples. O(samples).
std::vector<CounterRow> AnalyzeCounters(const Trace& trace);

}  // namespace stepscope
