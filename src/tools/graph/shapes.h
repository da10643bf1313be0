#pragma once

#include <cstdint>
#include <vector>

#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "tools/graph/graph_index.h"

namespace stepscope {

enum class ShapeSource : uint8_t { kUnknown, kAttribute, kProfile, kInferred };

struct NodeShapes {
  std::vector<TensorShape> outputs;  // unknown rank where nothing is known
  ShapeSource source = ShapeSource::kUnknown;
};

struct ShapeInputs {
  bool use_attributes = true;             // _output_shapes, where the graph was saved with them
  const RunMetadata* observed = nullptr;  // shapes a run had; they fill in what stays unknown
};

// The shape of every output of every node. What the graph does not say is inferred op by op as
// TensorFlow does when a graph is built; an op it has no rule for gives unknown rank, never a
// guess. Loops settle on what all iterations agree on.
std::vector<NodeShapes> InferShapes(const GraphIndex& graph, const ShapeInputs& inputs);

}  // namespace stepscope
