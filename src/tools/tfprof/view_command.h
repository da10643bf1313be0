#pragma once

#include "tools/tfprof/view_inputs.h"
#include "tools/tfprof/view_options.h"

namespace stepscope {

// Shows one view of a loaded model as the request asks; returns the exit code.
int ShowView(const ViewRequest& request, LoadedModel& loaded);

}  // namespace stepscope
