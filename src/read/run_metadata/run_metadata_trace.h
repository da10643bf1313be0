#pragma once

#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "trace/trace.h"

namespace stepscope {

// One trace of several session.runs: each RunMetadata is a step, ops are spans of their executor's
// row, kernels and copies are device work. A kernel stands in the file twice (stream:all and its
// stream): it is work once, and the other row is kept as an op-level span. Ops come with the memory
// they allocated. `graph` (may be null) gives the types of ops whose rows do not.
Trace BuildRunMetadataTrace(std::span<const RunMetadata> runs, const GraphDef* graph,
                            const std::string& path, TaskPool& pool, Diagnostics& diagnostics);

}  // namespace stepscope
