#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"

namespace stepscope {

// Time of each XLA instruction, from the device work that names it or, in a profile without
// accelerators, from the host spans called after it; with what the compiled modules say about it.
// By time, then name. Empty where nothing of XLA is recorded. O(device work + slices).
std::vector<HloRow> AnalyzeHlo(const Trace& trace, const DeviceWork& work);

}  // namespace stepscope
