#pragma once

#include <vector>

#include "analyze/modules/scope_tree.h"
#include "analyze/selection.h"
#include "link/device_work.h"

namespace stepscope {

// Where ops are in the program, one row per path, parents before children, siblings by device time:
// the tree of nn.Module calls; without module frames, the tree of Python functions; without Python
// frames, the call stacks that ops carry. Device time is the time of work launched inside. For call
// stacks, host time is the time inside ops. O(slices).
std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links, const DeviceWork& work,
                                     const StepSelection& selection);

}  // namespace stepscope
