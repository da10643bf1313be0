#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/graph/graph_index.h"
#include "tools/graph/shapes.h"

namespace stepscope {

// Float operations of one run of each node by tfprof's formulas: a multiply and an add are two.
// Nothing for ops it has no formula for and where shapes are not known.
std::vector<std::optional<int64_t>> CountFlops(const GraphIndex& graph,
                                               const std::vector<NodeShapes>& shapes);

}  // namespace stepscope
