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
  std::optional<size_t> execution;  // the eager call during which it ran
  // How often its function ran before, and outside of functions the training step: the program's
  // own count. Without a function, the eager call.
  std::optional<size_t> step;
  std::vector<FrameIndex> stack;  // outermost first
};

}  // namespace stepscope
