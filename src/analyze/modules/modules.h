#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"

namespace stepscope {

// The tree of nn.Module calls, one row a path, parents before children, siblings by device time.
// Device time is that of work launched while the module's forward ran. Empty where the profile has
// no module frames. O(slices).
std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links,
                                     const DeviceWork& work);

}  // namespace stepscope
