#include "tools/graph/shapes.h"

#include <algorithm>
#include <deque>

#include "tools/graph/shape_context.h"

namespace stepscope {
namespace {

using namespace shapes;

class Inference {
 public:
  Inference(const GraphIndex& graph, const ShapeInputs& inputs)
      : graph_(graph), inputs_(inputs), shapes_(graph.size()), context_(graph, shapes_) {}

  std::vector<NodeShapes> Run() {
    CountOutputs();
    if (inputs_.use_attributes) TakeAttributes();
    Propagate();
    // What a stack returns is known once it is known what was pushed.
    if (HasStacks()) Propagate();
    if (inputs_.observed != nullptr) TakeObserved();
    return std::move(shapes_);
  }

 private:
  // At least as many outputs as are used.
  void CountOutputs() {
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      for (const GraphEdge& edge : graph_.inputs(i)) {
        if (edge.node == graph_.size() || edge.output > 1'000'000) continue;
        std::vector<TensorShape>& outputs = shapes_[edge.node].outputs;
        if (outputs.size() <= edge.output) outputs.resize(edge.output + 1, UnknownRank());
      }
    }
  }

  void TakeAttributes() {
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      std::optional<std::vector<TensorShape>> stored = graph_.node(i).Shapes("_output_shapes");
      if (!stored) continue;
      shapes_[i] = {std::move(*stored), ShapeSource::kAttribute};
    }
  }

  bool HasStacks() const {
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (graph_.node(i).op == "StackPopV2") return true;
    }
    return false;
  }

  // Producers before consumers. A loop's back edge comes late, and the nodes that it changes are
  // visited again.
  void Propagate() {
    std::vector<uint32_t> waiting(graph_.size());
    std::deque<uint32_t> ready;
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      for (const GraphEdge& edge : graph_.inputs(i)) waiting[i] += Waits(edge) ? 1 : 0;
      if (waiting[i] == 0) ready.push_back(i);
    }
    std::vector<uint8_t> rounds(graph_.size());
    while (!ready.empty()) {
      const uint32_t node = ready.front();
      ready.pop_front();
      const bool first = rounds[node] == 0;
      if (rounds[node] >= kMostRounds) continue;
      ++rounds[node];
      const bool changed = Infer(node);
      for (const uint32_t consumer : graph_.consumers(node)) {
        if (first && Waits({node, 0})) {
          if (--waiting[consumer] == 0 && rounds[consumer] == 0) ready.push_back(consumer);
        }
        if (changed && rounds[consumer] > 0) ready.push_back(consumer);
      }
    }
  }

  // The order does not wait for edges back into a loop.
  bool Waits(GraphEdge edge) const {
    return edge.node != graph_.size() && !graph_.node(edge.node).op.ends_with("NextIteration");
  }

  bool Infer(uint32_t node) {
    NodeShapes& shapes = shapes_[node];
    if (shapes.source == ShapeSource::kAttribute) return false;
    std::optional<std::vector<TensorShape>> inferred = InferNode(context_, node);
    if (!inferred) {
      if (shapes.outputs.empty()) shapes.outputs.push_back(UnknownRank());
      return false;
    }
    if (inferred->size() < shapes.outputs.size()) {
      inferred->resize(shapes.outputs.size(), UnknownRank());
    }
    if (*inferred == shapes.outputs && shapes.source == ShapeSource::kInferred) return false;
    shapes = {std::move(*inferred), ShapeSource::kInferred};
    return true;
  }

  void TakeObserved() {
    for (const DeviceStepStats& device : inputs_.observed->devices) {
      for (const NodeExecStats& row : device.nodes) {
        const uint32_t node = graph_.Find(row.name.substr(0, row.name.find(':')));
        if (node == graph_.size()) continue;
        for (const NodeOutput& output : row.outputs) TakeOutput(shapes_[node], output);
      }
    }
  }

  static void TakeOutput(NodeShapes& shapes, const NodeOutput& output) {
    if (output.slot < 0 || static_cast<size_t>(output.slot) >= shapes.outputs.size()) return;
    TensorShape& shape = shapes.outputs[static_cast<size_t>(output.slot)];
    if (shape.fully_defined()) return;
    shape = output.shape;
    shapes.source = ShapeSource::kProfile;
  }

  static constexpr uint8_t kMostRounds = 8;
  const GraphIndex& graph_;
  const ShapeInputs& inputs_;
  std::vector<NodeShapes> shapes_;
  Context context_;
};

}  // namespace

std::vector<NodeShapes> InferShapes(const GraphIndex& graph, const ShapeInputs& inputs) {
  return Inference(graph, inputs).Run();
}

}  // namespace stepscope
