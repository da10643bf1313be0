#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "read/execution_trace/execution_rows.h"
#include "trace/trace.h"

namespace stepscope {

// Joins execution traces to the profiles of the same runs by the ids of their functions: a node and
// an op with the same id and the same name are one call. Of several profiles that fit equally well
// a trace goes to the one of its process, then to the next that has none yet. The profile gets the
// shapes that it lacks. What cannot be joined is diagnosed. Returns what each profile was given.
std::vector<ExecutionRows> JoinExecutionTraces(const std::vector<std::string>& paths,
                                               Profile& profile);

}  // namespace stepscope
