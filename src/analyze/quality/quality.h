#pragma once

#include "analyze/report.h"

namespace stepscope {

// What the analyses found about the quality of the profile: device work without a launch, launches
// without device work, memory events that number devices differently.
void AddQuality(const LinkedTrace& linked, Report& report);

}  // namespace stepscope
