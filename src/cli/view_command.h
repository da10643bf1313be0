#pragma once

#include <string_view>

#include "analyze/tfprof/view.h"
#include "cli/view_inputs.h"
#include "cli/view_options.h"

namespace stepscope {

// "scope", "graph", "op" or "code"; scope for any other word.
tfprof::ViewKind ViewKindOf(std::string_view view);
tfprof::View MakeView(tfprof::ViewKind kind, const tfprof::Model& model,
                      const tfprof::Options& options);

// Shows one view of a loaded model as the request asks; returns the exit code.
int ShowView(const ViewRequest& request, LoadedModel& loaded);

}  // namespace stepscope
