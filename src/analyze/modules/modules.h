#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"
#include "analyze/selection.h"

namespace stepscope {

// Where ops stand in the program, one row a path, parents before children, siblings by device time:
// the tree of nn.Module calls; without module frames, that of Python functions; without Python
// frames, the call stacks that ops carry. Device time is that of work launched meanwhile. Of call
// stacks, host time is the ops' own. O(slices).
std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links, const DeviceWork& work,
                                     const StepSelection& selection);

}  // namespace stepscope
