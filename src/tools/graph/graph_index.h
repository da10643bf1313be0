#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/graph_def/graph_def.h"

namespace stepscope {

// An input of a node: which output of which node.
struct GraphEdge {
  uint32_t node = 0;
  uint32_t output = 0;
};

// A GraphDef with its names resolved. Keeps a pointer to the graph, which must outlive it. Inputs
// that name no node are left out and counted. O(nodes + edges).
class GraphIndex {
 public:
  explicit GraphIndex(const GraphDef& graph);

  const GraphDef& graph() const { return *graph_; }
  uint32_t size() const { return static_cast<uint32_t>(graph_->nodes.size()); }
  const NodeDef& node(uint32_t index) const { return graph_->nodes[index]; }
  // Data inputs in order; an input that names no node has index size().
  const std::vector<GraphEdge>& inputs(uint32_t node) const { return inputs_[node]; }
  const std::vector<uint32_t>& control_inputs(uint32_t node) const { return controls_[node]; }
  // Consumers of data, each once for every input.
  const std::vector<uint32_t>& consumers(uint32_t node) const { return consumers_[node]; }
  // size() when there is none.
  uint32_t Find(std::string_view name) const;
  uint64_t dangling_inputs() const { return dangling_; }

 private:
  const GraphDef* graph_;
  std::unordered_map<std::string_view, uint32_t> by_name_;
  std::vector<std::vector<GraphEdge>> inputs_;
  std::vector<std::vector<uint32_t>> controls_;
  std::vector<std::vector<uint32_t>> consumers_;
  uint64_t dangling_ = 0;
};

}  // namespace stepscope
