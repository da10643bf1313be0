#pragma once

#include <string>
#include <vector>

#include "analyze/explore/op_graph.h"
#include "read/graph_def/graph_def.h"
#include "trace/trace.h"

namespace stepscope {

// The model's graph with the costs of a trace: a GraphDef among the files of the profile or below
// its directory, else the one in the trace's own event file, else the graphs that its RunMetadata
// says were run. Empty when there is none. Reads files again.
OpGraph GraphOf(const std::vector<std::string>& paths, const Trace& trace);

// The graphs of a profile's RunMetadata for rules about graphs, one per trace, without nodes where
// there is none.
std::vector<GraphDef> GraphsBeside(const std::vector<std::string>& paths, const Profile& profile);

// The graph itself; no nodes when there is none.
GraphDef GraphDefOf(const std::vector<std::string>& paths, const Trace& trace);

}  // namespace stepscope
