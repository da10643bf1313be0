#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/nan/tfdbg/debug_dump.h"

namespace stepscope {

// An output that held NaN or infinities.
struct BadOutput {
  enum class Where : uint8_t { kGraph, kEager };
  Where where = Where::kGraph;
  size_t index = 0;  // of the trace (graph) or the execution (eager) in the dump
  double wall_time = 0;
  std::string graph_id;
  std::string graph_name;
  std::string op;  // its name in the graph; its type when eager
  std::string op_type;
  int64_t slot = 0;
  TensorHealth health;
  bool inputs_finite = true;        // as far as they were recorded
  bool inputs_recorded = true;      // false: the dump says nothing of some input
  std::optional<size_t> execution;  // the eager call during which it ran: the step
  std::vector<FrameIndex> stack;    // outermost first
};

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
