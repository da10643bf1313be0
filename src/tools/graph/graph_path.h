#pragma once

#include <cstdint>
#include <vector>

#include "tools/graph/graph_index.h"

namespace stepscope {

// The shortest path that data takes from `from` to `to`, both included; empty when there is none.
// O(nodes + edges).
std::vector<uint32_t> ShortestPath(const GraphIndex& graph, uint32_t from, uint32_t to);

}  // namespace stepscope
