#include "tools/graph/graph_summary.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "read/run_metadata/device_choice.h"

namespace stepscope {
namespace {

using Counts = std::unordered_map<std::string_view, uint64_t>;

std::vector<CountedName> Sorted(const Counts& counts) {
  std::vector<CountedName> names;
  for (const auto& [name, count] : counts) names.push_back({name, count});
  std::sort(names.begin(), names.end(), [](const CountedName& a, const CountedName& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return names;
}

void CountShapes(const std::vector<NodeShapes>& shapes, GraphSummary& summary) {
  for (const NodeShapes& node : shapes) {
    for (const TensorShape& shape : node.outputs) {
      if (shape.fully_defined()) {
        ++summary.shapes_known;
        summary.shapes_inferred += node.source == ShapeSource::kInferred ? 1 : 0;
      } else {
        ++(shape.unknown_rank ? summary.shapes_unknown : summary.shapes_partly);
      }
    }
  }
}

void CountVariables(const Variables& variables, GraphSummary& summary) {
  summary.role_source = variables.source;
  std::unordered_map<std::string_view, size_t> scope_index;
  for (const Variable& variable : variables.items) {
    const auto role = static_cast<size_t>(variable.role);
    const int64_t parameters = variable.parameters.value_or(0);
    summary.parameters[role] += parameters;
    ++summary.variables[role];
    const std::string_view scope = variable.name.substr(0, variable.name.find('/'));
    const auto [at, added] = scope_index.try_emplace(scope, summary.scopes.size());
    if (added) summary.scopes.push_back({scope, 0, 0, 0});
    ScopeParameters& row = summary.scopes[at->second];
    (variable.role == VariableRole::kTrained  ? row.trained
     : variable.role == VariableRole::kFrozen ? row.frozen
                                              : row.other) += parameters;
  }
}

}  // namespace

GraphSummary SummarizeGraph(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                            const Variables& variables,
                            const std::vector<std::optional<int64_t>>& flops) {
  GraphSummary summary;
  summary.tensorflow_version = graph.graph().tensorflow_version;
  summary.producer = graph.graph().producer;
  summary.nodes = graph.size();
  summary.functions = graph.graph().functions.size();
  summary.dangling_inputs = graph.dangling_inputs();
  Counts ops;
  Counts devices;
  Counts types;
  Counts flops_by_op;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const NodeDef& node = graph.node(i);
    ++ops[node.op];
    ++devices[node.device];
    std::optional<DataType> type = node.Type("T");
    if (!type) type = node.Type("dtype");
    if (type) ++types[NameOf(*type)];
    summary.edges += graph.inputs(i).size();
    summary.control_edges += graph.control_inputs(i).size();
    summary.gradient_nodes += IsGradientNode(node.name) ? 1 : 0;
    if (!flops[i]) continue;
    summary.flops += *flops[i];
    ++summary.flops_nodes;
    flops_by_op[node.op] += static_cast<uint64_t>(std::max<int64_t>(*flops[i], 0));
  }
  summary.ops = Sorted(ops);
  summary.devices = Sorted(devices);
  summary.types = Sorted(types);
  summary.flops_by_op = Sorted(flops_by_op);
  summary.unused_gradient_nodes = UnusedGradients(graph, variables).size();
  CountShapes(shapes, summary);
  CountVariables(variables, summary);
  return summary;
}

FreezeCost CostOf(const GraphIndex& graph, std::span<const uint32_t> nodes,
                  const tfprof::Model* profile) {
  FreezeCost cost;
  if (profile == nullptr || profile->steps().empty()) return cost;
  cost.profiled = true;
  cost.steps = static_cast<int64_t>(profile->steps().size());
  std::unordered_map<std::string_view, tfprof::Stats> by_name;
  for (const tfprof::Node& node : profile->nodes()) {
    const tfprof::Stats stats = profile->StatsOf(node, -1);
    cost.all_micros += stats.micros;
    by_name.emplace(node.name, stats);
  }
  for (const uint32_t node : nodes) {
    const auto found = by_name.find(graph.node(node).name);
    if (found == by_name.end()) continue;
    cost.micros += found->second.micros;
    cost.bytes += found->second.requested_bytes;
  }
  return cost;
}

std::optional<CopyCost> CopiesOf(std::span<const RunMetadata> runs) {
  if (runs.empty()) return std::nullopt;
  CopyCost cost;
  for (const RunMetadata& run : runs) {
    for (const DeviceStepStats& device : run.devices) {
      if (device.device.find("/memcpy") == std::string_view::npos) continue;
      for (const NodeExecStats& row : device.nodes) {
        ++cost.copies;
        cost.micros += row.op_end_rel_micros;
        cost.bytes += CopiedBytes(row.label).value_or(0);
      }
    }
  }
  const auto count = static_cast<int64_t>(runs.size());
  cost.copies /= runs.size();
  cost.micros /= count;
  cost.bytes /= count;
  return cost;
}

}  // namespace stepscope
