#pragma once

#include <cstdint>
#include <vector>

#include "analyze/whatif/step_graph.h"

namespace stepscope {

// The nodes that determine the length of a step, the last first. Each was held back by the next one
// in the list: the work that a call waited for, the launch, the stream, or what its thread did
// before. O(nodes).
std::vector<uint32_t> CriticalPathOf(const StepGraph& graph);

}  // namespace stepscope
