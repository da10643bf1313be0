#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/nan/bad_output.h"
#include "tools/nan/tfdbg/debug_dump.h"

namespace stepscope {

// An op beside the source in its graph.
struct GraphNeighbor {
  std::string op;
  std::string op_type;
  std::optional<TensorHealth> health;  // of its last output before or after the source
};

struct NanHunt {
  // The first bad output whose inputs were finite. A function argument that was already bad is the
  // source only where nothing else is.
  std::optional<BadOutput> source;
  bool source_is_argument = false;
  std::vector<GraphNeighbor> inputs;     // of the source
  std::vector<GraphNeighbor> consumers;  // of the source
  std::vector<size_t> spread;            // indices into `all`: what it reached, in order
  std::vector<size_t> first_by_graph;    // indices into `all`: whatever the inputs were
  std::vector<size_t> eager_bad;         // execution indices
  std::vector<BadOutput> all;            // in order of execution
  // False: no tensor of the dump tells its health, so that nothing could be found.
  bool can_tell = true;
};

// Order of execution: traces in the order of the dump, merged with eager executions by wall time.
// One pass over both, plus the graph's edges: O(records + edges).
NanHunt HuntNan(const DebugDump& dump);

}  // namespace stepscope
