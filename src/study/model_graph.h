#pragma once

#include <span>
#include <string>

#include "read/graph_def/graph_def.h"
#include "trace/trace.h"

namespace stepscope {

// The graph of the model behind a trace. `files` are those the trace was read from (Trace::path and
// other_paths), `beside` GraphDef files that were opened with it.
//   - RunMetadata: the graph that explains it, else the graphs that it says were run;
//   - any other: the first file beside it, else the graph in its own event file.
// No nodes when there is none. Reads files again.
GraphDef ReadModelGraph(Format format, std::span<const std::string> files,
                        std::span<const std::string> beside);

}  // namespace stepscope
