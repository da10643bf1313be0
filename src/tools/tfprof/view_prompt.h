#pragma once

#include "tools/tfprof/view_inputs.h"
#include "tools/tfprof/view_options.h"

namespace stepscope {

// Commands from standard input, one per line, as in tfprof's prompt: a view with options,
// `set` with options that stay, `help`, `quit`. On a terminal with history and completion;
// otherwise lines are just read, so that scripts can be piped in. Returns the exit code of the last
// command that failed, else 0.
int RunViewPrompt(const ViewRequest& request, LoadedModel& loaded);

}  // namespace stepscope
