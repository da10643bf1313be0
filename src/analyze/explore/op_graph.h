#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "read/graph_def/graph_def.h"
#include "trace/trace.h"

namespace stepscope {

struct OpGraphNode {
  std::string name, op, device;
  std::string shape;             // of the outputs, "[64,10]" or "?"; empty where none is recorded
  DurationNs host, device_time;  // of the spans named after it, over the whole profile
  int64_t allocated =
      0;  // bytes it asked for, over the whole profile; what it gave back is not taken off
  std::vector<uint32_t> inputs;  // nodes, control inputs too, each once
};

// The model's ops with what each cost in the profile. Owns its strings.
struct OpGraph {
  std::vector<OpGraphNode> nodes;  // in the order of the file
};

// O(nodes + edges + slices). Inputs that name no node are left out.
OpGraph BuildOpGraph(const GraphDef& graph, const Trace& trace);

}  // namespace stepscope
