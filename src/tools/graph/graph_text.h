#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "present/style.h"
#include "tools/graph/flops.h"
#include "tools/graph/graph_index.h"
#include "tools/graph/graph_summary.h"
#include "tools/graph/shapes.h"
#include "tools/graph/variables.h"

// The model for people and for programs.
namespace stepscope {

std::string ShapeText(const TensorShape& shape);  // "[2,?,8]", "?"

std::string GraphSummaryText(const GraphSummary& summary, const Style& style);
std::string GraphSummaryJson(const GraphSummary& summary);

std::string VariablesText(const Variables& variables, const Style& style);
std::string FreezeText(const Variables& variables, const FreezeEffect& effect,
                       const FreezeCost& cost, const Style& style);
std::string PlacementText(const GraphIndex& graph, const Variables& variables,
                          const Placement& placement, const std::optional<CopyCost>& copies,
                          const Style& style);
std::string VariablesJson(const GraphIndex& graph, const Variables& variables,
                          const FreezeEffect* effect, const FreezeCost* cost,
                          const Placement* placement);

std::string ShapesText(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                       const std::vector<uint32_t>& nodes, const Style& style);
std::string ShapesJson(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                       const std::vector<std::optional<int64_t>>& flops,
                       const std::vector<uint32_t>& nodes);
// Graphviz.
std::string GraphDot(const GraphIndex& graph, const std::vector<NodeShapes>& shapes);

}  // namespace stepscope
