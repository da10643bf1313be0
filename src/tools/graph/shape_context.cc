#include "tools/graph/shape_context.h"

#include <algorithm>

namespace stepscope::shapes {

bool Values::known() const {
  return std::find(elements.begin(), elements.end(), kUnknown) == elements.end();
}

TensorShape Context::Output(GraphEdge edge) const {
  if (edge.node >= shapes_.size()) return UnknownRank();
  const std::vector<TensorShape>& outputs = shapes_[edge.node].outputs;
  return edge.output < outputs.size() ? outputs[edge.output] : UnknownRank();
}

TensorShape Context::Input(uint32_t node, size_t input) const {
  const std::vector<GraphEdge>& inputs = graph_.inputs(node);
  return input < inputs.size() ? Output(inputs[input]) : UnknownRank();
}

std::optional<Values> Context::InputValues(uint32_t node, size_t input) const {
  const std::vector<GraphEdge>& inputs = graph_.inputs(node);
  if (input >= inputs.size()) return std::nullopt;
  return Evaluate(*this, inputs[input], 0);
}

TensorShape Context::InputAsShape(uint32_t node, size_t input) const {
  if (const std::optional<Values> values = InputValues(node, input)) {
    // A single -1 constant means "any shape".
    if (values->shape.dims.empty() && values->elements == std::vector{kUnknown}) {
      return UnknownRank();
    }
    return {values->elements, false};
  }
  const TensorShape shape = Input(node, input);
  if (!shape.unknown_rank && shape.dims.size() == 1 && shape.dims[0] >= 0 && shape.dims[0] < 256) {
    return OfRank(static_cast<size_t>(shape.dims[0]));
  }
  return UnknownRank();
}

uint32_t Context::Origin(GraphEdge edge) const {
  constexpr int kLongest = 64;
  for (int i = 0; i < kLongest && edge.node < graph_.size(); ++i) {
    const std::string_view op = graph_.node(edge.node).op;
    const bool passes = op == "Identity" || op == "Enter" || op == "RefEnter" || op == "Switch" ||
                        op == "RefSwitch" || op == "RefIdentity" || op == "Exit" || op == "Merge";
    if (!passes || graph_.inputs(edge.node).empty()) return edge.node;
    edge = graph_.inputs(edge.node)[0];
  }
  return graph_.size();
}

int64_t MergeDim(int64_t a, int64_t b) { return a == kUnknown ? b : a; }

TensorShape MergeShapes(const TensorShape& a, const TensorShape& b) {
  if (a.unknown_rank) return b;
  if (b.unknown_rank || a.dims.size() != b.dims.size()) return a;
  TensorShape merged = a;
  for (size_t i = 0; i < a.dims.size(); ++i) merged.dims[i] = MergeDim(a.dims[i], b.dims[i]);
  return merged;
}

TensorShape Broadcast(const TensorShape& a, const TensorShape& b) {
  if (a.unknown_rank || b.unknown_rank) return UnknownRank();
  const size_t rank = std::max(a.dims.size(), b.dims.size());
  TensorShape out = OfRank(rank);
  for (size_t i = 0; i < rank; ++i) {
    // Goes backwards from the last dimension; a missing one is 1.
    const int64_t x = i < a.dims.size() ? a.dims[a.dims.size() - 1 - i] : 1;
    const int64_t y = i < b.dims.size() ? b.dims[b.dims.size() - 1 - i] : 1;
    int64_t& dim = out.dims[rank - 1 - i];
    if (x == kUnknown || y == kUnknown) {
      // An unknown dimension against one above 1 must be equal to it; against 1 it may be anything.
      dim = x > 1 ? x : y > 1 ? y : kUnknown;
    } else {
      dim = x == 1 ? y : x;
    }
  }
  return out;
}

std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

TensorShape WithoutAxes(const TensorShape& shape, std::span<const int64_t> axes, bool keep) {
  std::vector<bool> gone(shape.dims.size());
  for (const int64_t axis : axes) {
    const std::optional<size_t> at = AxisOf(axis, shape.dims.size());
    if (!at) return UnknownRank();
    gone[*at] = true;
  }
  TensorShape out;
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (!gone[i]) out.dims.push_back(shape.dims[i]);
    if (gone[i] && keep) out.dims.push_back(1);
  }
  return out;
}

std::optional<std::vector<TensorShape>> InferNode(const Context& context, uint32_t node) {
  if (context.graph().graph().dialect == GraphDialect::kOnnx) return InferOnnx(context, node);
  for (const auto rule : {InferState, InferElementwise, InferArray, InferNeuralNet}) {
    if (Outputs outputs = rule(context, node)) return outputs;
  }
  return std::nullopt;
}

}  // namespace stepscope::shapes
