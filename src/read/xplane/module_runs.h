#pragma once

#include "read/xplane/line.h"
#include "read/xplane/plane_context.h"

namespace stepscope::xplane {

// Reads the "XLA Modules" line of a TPU, and no other, into context.modules: a module names its
// launch by a consumer id, its ops do not.
void AddModuleRuns(const Line& line, const SpaceBytes& file, PlaneContext& context);
void SortModuleRuns(PlaneContext& context);
// The launch of the module that runs at this time (ns, as the line has it), or kNoCorrelation.
uint64_t LaunchAt(const PlaneContext& context, int64_t time);

}  // namespace stepscope::xplane
