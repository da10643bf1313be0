// Shape rules for constants, variables, control flow, queues and stacks.
#include <algorithm>

#include "tools/graph/shape_context.h"

namespace stepscope::shapes {
namespace {

TensorShape ShapeAttr(const NodeDef& def, std::string_view name) {
  return def.Shape(name).value_or(UnknownRank());
}

// What a variable's handle points to.
TensorShape VariableShape(const Context& context, uint32_t node) {
  const std::vector<GraphEdge>& inputs = context.graph().inputs(node);
  if (inputs.empty()) return UnknownRank();
  const uint32_t origin = context.Origin(inputs[0]);
  if (origin == context.graph().size()) return UnknownRank();
  return ShapeAttr(context.node(origin), "shape");
}

// A stack gives back what was pushed on it.
TensorShape PoppedShape(const Context& context, uint32_t node) {
  const GraphIndex& graph = context.graph();
  if (graph.inputs(node).empty()) return UnknownRank();
  const uint32_t stack = context.Origin(graph.inputs(node)[0]);
  if (stack == graph.size()) return UnknownRank();
  // The push hangs from the stack's handle, behind an Enter or two.
  std::vector<uint32_t> next(graph.consumers(stack));
  for (size_t i = 0; i < next.size() && next.size() < 64; ++i) {
    const std::string_view op = graph.node(next[i]).op;
    if (op == "StackPushV2") return context.Input(next[i], 1);
    if (op != "Enter" && op != "Identity" && op != "Switch") continue;
    const std::vector<uint32_t>& more = graph.consumers(next[i]);
    next.insert(next.end(), more.begin(), more.end());
  }
  return UnknownRank();
}

std::vector<TensorShape> Dequeued(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const std::vector<DataType> types =
      def.Types("component_types").value_or(std::vector<DataType>{});
  std::vector<TensorShape> outputs(types.size(), UnknownRank());
  const std::vector<GraphEdge>& inputs = context.graph().inputs(node);
  if (inputs.empty()) return outputs;
  const uint32_t queue = context.Origin(inputs[0]);
  if (queue == context.graph().size()) return outputs;
  const auto shapes = context.node(queue).Shapes("shapes");
  const bool many = def.op != "QueueDequeueV2" && def.op != "QueueDequeue";
  for (size_t i = 0; shapes && i < std::min(outputs.size(), shapes->size()); ++i) {
    outputs[i] = (*shapes)[i];
    if (!many || outputs[i].unknown_rank) continue;
    const auto count = context.InputValues(node, 1);
    const bool exact = def.op == "QueueDequeueManyV2" && count && count->elements.size() == 1;
    outputs[i].dims.insert(outputs[i].dims.begin(), exact ? count->elements[0] : kUnknown);
  }
  return outputs;
}

// The first input and the loop's own result must agree; dimensions that do not are unknown.
TensorShape Merged(const Context& context, uint32_t node) {
  TensorShape merged = context.Input(node, 0);
  for (size_t i = 1; i < context.InputCount(node); ++i) {
    const TensorShape other = context.Input(node, i);
    const uint32_t source = context.graph().inputs(node)[i].node;
    // A back edge of which nothing is known yet does not count: this node is visited again.
    const bool back =
        source < context.graph().size() && context.node(source).op.ends_with("NextIteration");
    if (other.unknown_rank && back) continue;
    if (merged.unknown_rank || other.unknown_rank || merged.dims.size() != other.dims.size()) {
      return UnknownRank();
    }
    for (size_t d = 0; d < merged.dims.size(); ++d) {
      if (merged.dims[d] != other.dims[d]) merged.dims[d] = kUnknown;
    }
  }
  return merged;
}

}  // namespace

Outputs InferState(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const std::string_view op = def.op;
  const auto one = [](TensorShape shape) { return Outputs({std::move(shape)}); };
  if (op == "Const") {
    const std::optional<TensorConstant> tensor = def.Tensor("value");
    return one(tensor ? tensor->shape : UnknownRank());
  }
  if (op == "VariableV2" || op == "Variable" || op == "Placeholder" ||
      op == "PlaceholderWithDefault" || op == "PlaceholderV2" || op == "TemporaryVariable" ||
      op == "ImmutableConst") {
    return one(ShapeAttr(def, "shape"));
  }
  if (op == "VarHandleOp" || op == "VarIsInitializedOp" || op == "IsVariableInitialized" ||
      op == "FIFOQueueV2" || op == "RandomShuffleQueueV2" || op == "QueueSizeV2" ||
      op == "HashTableV2" || op == "IteratorV2" || op == "OneShotIterator") {
    return one(Scalar());
  }
  if (op == "ReadVariableOp") return one(VariableShape(context, node));
  if (op == "Assign") {
    const bool validated = def.Bool("validate_shape").value_or(true);
    return one(validated ? MergeShapes(context.Input(node, 0), context.Input(node, 1))
                         : context.Input(node, 1));
  }
  if (op == "AssignAdd" || op == "AssignSub") {
    return one(MergeShapes(context.Input(node, 0), context.Input(node, 1)));
  }
  if (op.starts_with("Apply") || op.starts_with("SparseApply") || op.starts_with("Scatter")) {
    return one(context.Input(node, 0));
  }
  if (op == "NoOp" || op == "ControlTrigger" || op == "AssignVariableOp" ||
      op == "AssignAddVariableOp" || op == "AssignSubVariableOp" || op == "SaveV2" ||
      op == "Assert" || op == "QueueEnqueueV2" || op == "QueueCloseV2" ||
      op.starts_with("ResourceApply") || op.starts_with("ResourceSparseApply") ||
      op.starts_with("ResourceScatter")) {
    return std::vector<TensorShape>{};
  }
  if (op == "Switch" || op == "RefSwitch") {
    return Outputs({context.Input(node, 0), context.Input(node, 0)});
  }
  if (op == "Merge" || op == "RefMerge") return Outputs({Merged(context, node), Scalar()});
  if (op == "IdentityN") {
    std::vector<TensorShape> outputs;
    for (size_t i = 0; i < context.InputCount(node); ++i) outputs.push_back(context.Input(node, i));
    return outputs;
  }
  if (op == "StackV2") return one({{2}, false});
  if (op == "StackPushV2") return one(context.Input(node, 1));
  if (op == "StackPopV2") return one(PoppedShape(context, node));
  if (op.starts_with("QueueDequeue")) return Dequeued(context, node);
  if (op == "ResourceGather") {
    TensorShape source = VariableShape(context, node);
    const TensorShape indices = context.Input(node, 1);
    if (source.unknown_rank || indices.unknown_rank || source.dims.empty()) {
      return one(UnknownRank());
    }
    TensorShape out = indices;
    out.dims.insert(out.dims.end(), source.dims.begin() + 1, source.dims.end());
    return one(out);
  }
  // Function calls and iterators state their shapes themselves.
  if (auto shapes = def.Shapes("output_shapes"); shapes && !shapes->empty()) return shapes;
  if (op == "RestoreV2" || op == "PyFunc") {
    const auto types = def.Types(op == "PyFunc" ? "Tout" : "dtypes");
    if (types) return std::vector<TensorShape>(types->size(), UnknownRank());
  }
  return std::nullopt;
}

}  // namespace stepscope::shapes
