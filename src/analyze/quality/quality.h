#pragma once

#include "analyze/report.h"

namespace stepscope {

// What the analyses themselves found out about how far the profile can be trusted: device work
// without a launch, launches without device work, memory events that number devices otherwise.
void AddQuality(const Trace& trace, Report& report);

}  // namespace stepscope
