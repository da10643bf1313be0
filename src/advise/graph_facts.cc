#include "advise/graph_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace stepscope {
namespace {

std::string_view InputNode(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

std::string_view ScopeOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
}

bool IsVariable(std::string_view op) {
  return op == "Variable" || op == "VariableV2" || op == "VarHandleOp";
}

int64_t BytesOf(const NodeDef& node) {
  const auto shape = node.Shape("shape");
  const auto type = node.Type("dtype");
  if (!shape || !type) return 0;
  int64_t elements = 1;
  for (const int64_t dim : shape->dims) elements *= std::max<int64_t>(dim, 1);
  return shape->unknown_rank ? 0 : elements * SizeOf(*type);
}

class Consumers {
 public:
  explicit Consumers(const GraphDef& graph) {
    for (uint32_t n = 0; n < graph.nodes.size(); ++n) by_name_.emplace(graph.nodes[n].name, n);
    consumers_.resize(graph.nodes.size());
    for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
      for (const std::string_view input : graph.nodes[n].inputs) {
        const auto at = by_name_.find(InputNode(input));
        if (at != by_name_.end()) consumers_[at->second].push_back(n);
      }
    }
  }
  const std::vector<uint32_t>& consumers(uint32_t node) const { return consumers_[node]; }
  // Every node that a node's output reaches.
  std::set<uint32_t> Reachable(uint32_t from) const {
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{from};
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (const uint32_t next : consumers_[node]) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return seen;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> by_name_;
  std::vector<std::vector<uint32_t>> consumers_;
};

bool DecodesThenCrops(const std::vector<NodeDef>& nodes) {
  std::set<std::string_view> decoded;
  // Nodes come in any order: follow until nothing is added.
  for (size_t before = SIZE_MAX; before != decoded.size();) {
    before = decoded.size();
    for (const NodeDef& node : nodes) {
      if (node.op == "DecodeJpeg" || node.op == "DecodeImage") decoded.insert(node.name);
      const bool passes = node.op == "Cast" || node.op == "Identity" || node.op == "Squeeze" ||
                          node.op == "ExpandDims";
      if (!passes) continue;
      for (const std::string_view input : node.inputs) {
        if (decoded.contains(InputNode(input))) decoded.insert(node.name);
      }
    }
  }
  return std::any_of(nodes.begin(), nodes.end(), [&](const NodeDef& node) {
    const bool crops =
        node.op == "Slice" || node.op == "StridedSlice" || node.op == "CropAndResize";
    return crops && !node.inputs.empty() && decoded.contains(InputNode(node.inputs.front()));
  });
}

bool Updates(std::string_view op) {
  return op.starts_with("Apply") || op.starts_with("ResourceApply") ||
         op.starts_with("SparseApply") || op.starts_with("ResourceSparseApply") ||
         op.starts_with("Assign") || op.starts_with("ScatterSub");
}

// "tower_1" of "tower_1/bn/AssignMovingAvg": the first part of a name that ends in a number.
std::string_view TowerOf(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  const bool numbered = !first.empty() && first.back() >= '0' && first.back() <= '9';
  return numbered ? first : std::string_view{};
}

}  // namespace

int64_t FedBytes(const GraphDef& graph, const Trace& trace) {
  int64_t all = 0;
  int64_t run = 0;
  for (const NodeDef& node : graph.nodes) {
    if (node.op != "Placeholder" && node.op != "_Arg") continue;
    const int64_t bytes = BytesOf(node);
    all += bytes;
    if (trace.strings.Find(node.name) != kEmptyString) run += bytes;
  }
  return run > 0 ? run : all;
}

bool DecodesThenCrops(const GraphDef& graph) {
  if (DecodesThenCrops(graph.nodes)) return true;
  return std::any_of(graph.functions.begin(), graph.functions.end(),
                     [](const FunctionDef& function) { return DecodesThenCrops(function.nodes); });
}

bool Prefetches(const GraphDef& graph) {
  const auto has = [](const std::vector<NodeDef>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const NodeDef& node) { return node.op == "PrefetchDataset"; });
  };
  return has(graph.nodes) ||
         std::any_of(graph.functions.begin(), graph.functions.end(),
                     [&](const FunctionDef& function) { return has(function.nodes); });
}

std::vector<std::string> UnfusedBatchNorms(const GraphDef& graph) {
  struct Parts {
    bool mean = false, difference = false, root = false, fused = false;
  };
  std::map<std::string_view, Parts> scopes;
  for (const NodeDef& node : graph.nodes) {
    std::string_view scope = ScopeOf(node.name);
    if (scope.ends_with("/moments")) scope = ScopeOf(scope);
    if (scope.ends_with("/batchnorm")) scope = ScopeOf(scope);
    const bool named = scope.find("BatchNorm") != std::string_view::npos ||
                       scope.find("batch_norm") != std::string_view::npos;
    if (!named) continue;
    Parts& parts = scopes[scope];
    parts.mean |= node.op == "Mean";
    parts.difference |= node.op == "SquaredDifference";
    parts.root |= node.op == "Rsqrt";
    parts.fused |= node.op.starts_with("FusedBatchNorm");
  }
  std::vector<std::string> found;
  for (const auto& [scope, parts] : scopes) {
    if (parts.root && (parts.mean || parts.difference) && !parts.fused) found.emplace_back(scope);
  }
  return found;
}

std::vector<VariablePlacement> VariableBytes(const GraphDef& graph) {
  std::map<std::string, int64_t> by_device;
  for (const NodeDef& node : graph.nodes) {
    if (IsVariable(node.op) && !node.device.empty())
      by_device[std::string(node.device)] += BytesOf(node);
  }
  std::vector<VariablePlacement> rows;
  for (const auto& [device, bytes] : by_device) rows.push_back({device, bytes});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return rows;
}

size_t ComputeDevices(const GraphDef& graph) {
  std::set<std::string_view> devices;
  for (const NodeDef& node : graph.nodes) {
    const bool math =
        node.op == "MatMul" || node.op.starts_with("Conv") || node.op == "BatchMatMulV2";
    if (math && !node.device.empty()) devices.insert(node.device);
  }
  return devices.size();
}

std::vector<std::string> FrozenGradients(const GraphDef& graph) {
  const Consumers consumers(graph);
  std::vector<std::string> found;
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const NodeDef& node = graph.nodes[n];
    const bool weight_gradient =
        node.op.ends_with("BackpropFilter") ||
        (node.op == "MatMul" && node.name.find("gradients/") != std::string_view::npos &&
         node.name.ends_with("MatMul_1"));
    if (!weight_gradient) continue;
    const std::set<uint32_t> reached = consumers.Reachable(n);
    const bool applied = std::any_of(reached.begin(), reached.end(),
                                     [&](uint32_t r) { return Updates(graph.nodes[r].op); });
    if (!applied) found.emplace_back(node.name);
  }
  return found;
}

std::vector<std::string> TowerMovingAverages(const GraphDef& graph) {
  // Which towers write which average, and which writes a later op of the same tower waits for.
  std::map<std::string, std::set<std::string_view>> towers_by_average;
  std::set<std::string_view> awaited;
  for (const NodeDef& node : graph.nodes) {
    for (const std::string_view input : node.inputs) {
      if (input.starts_with('^') && TowerOf(node.name) == TowerOf(InputNode(input)) &&
          !TowerOf(node.name).empty()) {
        awaited.insert(InputNode(input));
      }
    }
  }
  for (const NodeDef& node : graph.nodes) {
    const bool write = node.op.starts_with("Assign") &&
                       node.name.find("AssignMovingAvg") != std::string_view::npos;
    if (!write || TowerOf(node.name).empty() || node.inputs.empty()) continue;
    if (!awaited.contains(node.name) && !awaited.contains(ScopeOf(node.name))) continue;
    towers_by_average[std::string(InputNode(node.inputs.front()))].insert(TowerOf(node.name));
  }
  std::vector<std::string> found;
  for (const auto& [average, towers] : towers_by_average) {
    if (towers.size() >= 2) found.push_back(average);
  }
  return found;
}

std::vector<std::string> IndependentLoops(const GraphDef& graph) {
  std::vector<std::string> found;
  for (const NodeDef& node : graph.nodes) {
    const bool loop = node.op == "While" || node.op == "StatelessWhile";
    if (!loop) continue;
    const auto body = node.FunctionName("body");
    const auto function =
        std::find_if(graph.functions.begin(), graph.functions.end(),
                     [&](const FunctionDef& f) { return body && f.name == *body; });
    if (function == graph.functions.end()) continue;
    const bool writes_list =
        std::any_of(function->nodes.begin(), function->nodes.end(), [](const NodeDef& n) {
          return n.op == "TensorListSetItem" || n.op.starts_with("TensorArrayWrite");
        });
    if (writes_list) found.emplace_back(node.name);
  }
  const bool old_style = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const NodeDef& n) {
    return n.op.starts_with("TensorArrayWrite");
  });
  if (old_style) found.emplace_back("map");
  return found;
}

}  // namespace stepscope
