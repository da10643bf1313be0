#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/graph/graph_index.h"
#include "tools/graph/shapes.h"

namespace stepscope::shapes {

inline constexpr int64_t kUnknown = -1;

inline TensorShape UnknownRank() { return {{}, true}; }
inline TensorShape Scalar() { return {}; }
inline TensorShape OfRank(size_t rank) { return {std::vector<int64_t>(rank, kUnknown), false}; }

// Values of a small integer tensor; kUnknown elements only where the tensor is itself a shape.
struct Values {
  TensorShape shape;
  std::vector<int64_t> elements;
  bool known() const;
};

// What rules see: one node, the shapes of its inputs, and constants behind them.
class Context {
 public:
  Context(const GraphIndex& graph, const std::vector<NodeShapes>& shapes)
      : graph_(graph), shapes_(shapes) {}

  const GraphIndex& graph() const { return graph_; }
  const NodeDef& node(uint32_t index) const { return graph_.node(index); }
  size_t InputCount(uint32_t node) const { return graph_.inputs(node).size(); }
  // Unknown rank for an input that is not there.
  TensorShape Input(uint32_t node, size_t input) const;
  TensorShape Output(GraphEdge edge) const;
  // The constant behind an input, worked out from Const, Shape and arithmetic on them.
  std::optional<Values> InputValues(uint32_t node, size_t input) const;
  // The same as a shape: elements may be unknown, and a missing tensor of known length gives that
  // many unknown dimensions.
  TensorShape InputAsShape(uint32_t node, size_t input) const;
  // Where a handle or reference comes from, behind Identity, Enter, Switch and the like.
  uint32_t Origin(GraphEdge edge) const;

 private:
  friend class ValueEvaluator;
  const GraphIndex& graph_;
  const std::vector<NodeShapes>& shapes_;
};

std::optional<Values> Evaluate(const Context& context, GraphEdge edge, int depth);

// The rule for an op: all output shapes. Nothing where there is no rule.
std::optional<std::vector<TensorShape>> InferNode(const Context& context, uint32_t node);

// Rules by subject; each returns nothing for ops that are not its own.
using Outputs = std::optional<std::vector<TensorShape>>;
Outputs InferElementwise(const Context& context, uint32_t node);
Outputs InferArray(const Context& context, uint32_t node);
Outputs InferNeuralNet(const Context& context, uint32_t node);
Outputs InferState(const Context& context, uint32_t node);
Outputs InferOnnx(const Context& context, uint32_t node);

// Dimensions that must be equal; the known one wins.
int64_t MergeDim(int64_t a, int64_t b);
TensorShape MergeShapes(const TensorShape& a, const TensorShape& b);
TensorShape Broadcast(const TensorShape& a, const TensorShape& b);
// -1 counts from the end; nothing when outside.
std::optional<size_t> AxisOf(int64_t axis, size_t rank);
// The shape without these axes, or with 1 in their place; of unknown rank when one is outside.
TensorShape WithoutAxes(const TensorShape& shape, std::span<const int64_t> axes, bool keep);

}  // namespace stepscope::shapes
