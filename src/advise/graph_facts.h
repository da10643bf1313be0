#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/graph_def/graph_def.h"
#include "trace/trace.h"

// What rules ask a TensorFlow graph.
namespace stepscope {

// Bytes of placeholders of known shape that the trace shows as fed (or all of them when the trace
// names none).
int64_t FedBytes(const GraphDef& graph, const Trace& trace);
// An image is decoded and a crop of it taken before any resize, without the fused op.
bool DecodesThenCrops(const GraphDef& graph);
// A dataset of the graph prefetches.
bool Prefetches(const GraphDef& graph);
// Names of scopes that normalise a batch out of small ops, and whether any fused batch norm is
// there.
std::vector<std::string> UnfusedBatchNorms(const GraphDef& graph);

struct VariablePlacement {
  std::string device;
  int64_t bytes = 0;
};
// Bytes of variables by device, largest first; empty when no variable has a device.
std::vector<VariablePlacement> VariableBytes(const GraphDef& graph);
// Variables that get a gradient but are never updated: op names of their gradient ops.
std::vector<std::string> FrozenGradients(const GraphDef& graph);
// Distinct devices that non-variable ops are placed on.
size_t ComputeDevices(const GraphDef& graph);
// Moving averages written from at least two towers with a control edge into the same tower's
// forward pass.
std::vector<std::string> TowerMovingAverages(const GraphDef& graph);
// Loops over independent iterations (counter and tensor list only).
std::vector<std::string> IndependentLoops(const GraphDef& graph);

}  // namespace stepscope
