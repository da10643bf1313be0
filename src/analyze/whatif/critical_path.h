#pragma once

#include <cstdint>
#include <vector>

#include "analyze/whatif/step_graph.h"

namespace stepscope {

// What the length of a step hangs on: its nodes, the last first, each held back by the one after
// it in the list: the work that a call waited for, the launch, the stream, or simply what its
// thread did before. O(nodes).
std::vector<uint32_t> CriticalPathOf(const StepGraph& graph);

}  // namespace stepscope
