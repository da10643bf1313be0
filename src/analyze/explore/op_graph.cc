#include "analyze/explore/op_graph.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace stepscope {
namespace {

// "^name" and "name:1" without what is not the name.
std::string_view NodeOf(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

std::string ShapesOf(const NodeDef& node) {
  const auto shapes = node.Shapes("_output_shapes");
  if (!shapes) return {};
  std::string text;
  for (const TensorShape& shape : *shapes) {
    if (!text.empty()) text += ' ';
    if (shape.unknown_rank) {
      text += '?';
      continue;
    }
    text += '[';
    for (size_t i = 0; i < shape.dims.size(); ++i) {
      if (i > 0) text += ',';
      text += shape.dims[i] < 0 ? "?" : std::to_string(shape.dims[i]);
    }
    text += ']';
  }
  return text;
}

}  // namespace

OpGraph BuildOpGraph(const GraphDef& graph, const Trace& trace) {
  OpGraph result;
  std::unordered_map<std::string_view, uint32_t> place;
  for (const NodeDef& node : graph.nodes) {
    place.try_emplace(node.name, static_cast<uint32_t>(result.nodes.size()));
    result.nodes.push_back({std::string(node.name),
                            std::string(node.op),
                            std::string(node.device),
                            ShapesOf(node),
                            {},
                            {},
                            0,
                            {}});
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    std::vector<uint32_t>& inputs = result.nodes[i].inputs;
    for (const std::string_view input : graph.nodes[i].inputs) {
      const auto found = place.find(NodeOf(input));
      if (found != place.end() && std::ranges::find(inputs, found->second) == inputs.end()) {
        inputs.push_back(found->second);
      }
    }
  }
  const Slices& slices = trace.slices;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    const auto found = place.find(NodeOf(trace.Name(row)));
    if (found == place.end()) continue;
    OpGraphNode& node = result.nodes[found->second];
    if (slices.kind[row] == Kind::kOp) node.host += slices.duration[row];
    if (IsDeviceWork(slices.kind[row]) || slices.kind[row] == Kind::kDeviceOp) {
      node.device_time += slices.duration[row];
    }
  }
  for (const Allocation& allocation : trace.allocations) {
    if (allocation.bytes <= 0) continue;
    const auto found = place.find(NodeOf(trace.strings[allocation.op]));
    if (found == place.end()) continue;
    int64_t& allocated = result.nodes[found->second].allocated;
    // A damaged file may claim any number of bytes.
    if (__builtin_add_overflow(allocated, allocation.bytes, &allocated)) allocated = INT64_MAX;
  }
  return result;
}

}  // namespace stepscope
