#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/graph/flops.h"
#include "tools/graph/graph_index.h"
#include "tools/graph/shapes.h"
#include "tools/graph/variables.h"
#include "tools/tfprof/model.h"

namespace stepscope {

struct CountedName {
  std::string_view name;
  uint64_t count = 0;
};

// Parameters below one name scope, by role.
struct ScopeParameters {
  std::string_view scope;
  int64_t trained = 0;
  int64_t frozen = 0;
  int64_t other = 0;
};

struct GraphSummary {
  std::string_view tensorflow_version;  // empty: not stated
  int64_t producer = 0;
  uint64_t nodes = 0;
  uint64_t edges = 0;
  uint64_t control_edges = 0;
  uint64_t functions = 0;
  uint64_t dangling_inputs = 0;
  std::vector<CountedName> ops;      // most first
  std::vector<CountedName> devices;  // as written in the graph; "" is "not placed"
  std::vector<CountedName> types;    // of outputs, where the node states one
  uint64_t shapes_known = 0;         // outputs with every dimension known
  uint64_t shapes_partly = 0;
  uint64_t shapes_unknown = 0;
  uint64_t shapes_inferred = 0;          // of the known ones: worked out here
  int64_t parameters[4] = {0, 0, 0, 0};  // by VariableRole
  uint64_t variables[4] = {0, 0, 0, 0};
  RoleSource role_source = RoleSource::kUpdates;
  std::vector<ScopeParameters> scopes;  // top-level scopes, in graph order
  int64_t flops = 0;
  uint64_t flops_nodes = 0;  // nodes that have a count
  std::vector<CountedName> flops_by_op;
  uint64_t gradient_nodes = 0;
  uint64_t unused_gradient_nodes = 0;
};

GraphSummary SummarizeGraph(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                            const Variables& variables,
                            const std::vector<std::optional<int64_t>>& flops);

// What the profiled steps spent in some nodes, per step.
struct FreezeCost {
  bool profiled = false;
  int64_t steps = 0;
  int64_t micros = 0;      // sum of the nodes' times: more than the wall clock where they overlap
  int64_t all_micros = 0;  // of all nodes
  int64_t bytes = 0;       // requested
};
FreezeCost CostOf(const GraphIndex& graph, std::span<const uint32_t> nodes,
                  const tfprof::Model* profile);

// Copies between host and devices that the runs recorded, per run.
struct CopyCost {
  uint64_t copies = 0;
  int64_t micros = 0;
  int64_t bytes = 0;  // where the rows say
};
std::optional<CopyCost> CopiesOf(std::span<const RunMetadata> runs);

}  // namespace stepscope
