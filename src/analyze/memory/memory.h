#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

struct MemoryTopOp {
  StringId op = kEmptyString;
  int64_t bytes = 0;  // allocated by it and live at the peak
};
// One allocator of several that share a device: "cpu" and "gpu_host_bfc", say.
struct MemoryAllocator {
  StringId name = kEmptyString;
  std::optional<int64_t> peak_allocated_bytes, end_allocated_bytes;  // its own figures
  int64_t peak_of_running_sum_bytes = 0;
  uint64_t allocations = 0;
};
struct MemoryRow {
  DeviceType type = DeviceType::kGpu;
  int32_t device = 0;
  // Figures are sums over these, at one time; by name, empty where the file names none.
  std::vector<MemoryAllocator> allocators;
  std::optional<int64_t> peak_allocated_bytes, peak_reserved_bytes, end_allocated_bytes,
      growth_bytes_per_step;
  int64_t peak_of_running_sum_bytes = 0;
  std::optional<TimeNs> peak_at;
  std::vector<MemoryTopOp> top_ops;
};

// What was allocated, when it peaked and which ops held it then, one row per device with
// allocations. O(allocations), plus a lookup in the ops of the thread for each one live at the
// peak.
std::vector<MemoryRow> AnalyzeMemory(const Trace& trace, const Steps& steps);

}  // namespace stepscope
