#pragma once

#include <optional>

#include "analyze/device_work.h"
#include "analyze/report.h"

namespace stepscope {

// Collective ops on the host (nccl:, gloo:, …) against kernels; none where the profile has no such
// op. O(slices).
std::optional<Communication> AnalyzeCommunication(const Trace& trace, const Links& links,
                                                  const DeviceWork& work);

}  // namespace stepscope
