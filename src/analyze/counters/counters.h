#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/trace.h"

namespace stepscope {

struct CounterRow {
  StringId name = kEmptyString, series = kEmptyString;
  uint64_t samples = 0;
  double min = 0, max = 0, mean = 0, last = 0;
};

// One row per counter series, in the trace's order. The mean is over samples. O(samples).
std::vector<CounterRow> AnalyzeCounters(const Trace& trace);

}  // namespace stepscope
