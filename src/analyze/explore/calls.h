#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct CallBin {
  DurationNs from;
  DurationNs to;
  uint64_t count = 0;
};

// Every span with one name and kind: how often, how long, how spread.
struct CallStatistics {
  uint64_t calls = 0;
  DurationNs total, min, max, p50, p90, p99;  // nearest rank, the lower middle for p50
  std::vector<CallBin> histogram;             // bins of equal ratio from min to max
  std::vector<uint32_t> longest;              // slices, longest first
};

// O(slices + calls).
CallStatistics StatisticsOfCalls(const Trace& trace, StringId name, Kind kind);

}  // namespace stepscope
