#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "link/device_work.h"

namespace stepscope {

struct CollectiveRow {
  std::string name;
  uint64_t calls = 0;
  DurationNs total;
  std::optional<int64_t> bytes;
};
struct Communication {
  DurationNs union_time, overlap_with_kernels, exposed_vs_kernels;
  std::vector<CollectiveRow> by_collective;
};

// Collective ops on the host (nccl:, gloo:, …) against kernels; none where the profile has no such
// op. O(slices).
std::optional<Communication> AnalyzeCommunication(const Trace& trace, const Links& links,
                                                  const DeviceWork& work);

}  // namespace stepscope
