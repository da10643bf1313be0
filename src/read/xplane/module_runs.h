#pragma once

#include "read/xplane/line.h"
#include "read/xplane/plane_context.h"

namespace stepscope::xplane {

// Reads the "XLA Modules" line of a TPU, and no other, into context.modules: a module names its
// launch by a consumer id, its ops do not.
void AddModuleRuns(const Line& line, const SpaceBytes& file, PlaneContext& context);
void SortModuleRuns(PlaneContext& context);

}  // namespace stepscope::xplane
