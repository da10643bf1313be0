#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nan/tfdbg/debug_dump.h"
#include "tools/nan/tfdbg/tensor_health.h"

namespace stepscope {

// What tf.debugging.check_numerics, add_check_numerics_ops or enable_check_numerics printed into a
// log.
struct CheckNumericsMessage {
  uint64_t line = 0;  // of the log, from 1
  bool eager = false;
  std::string op;       // "name:slot" or the user's own message; empty where only the type is known
  std::string op_type;  // of enable_check_numerics
  int64_t slot = 0;
  std::string graph;
  std::string shape;
  TensorHealth health;
  std::vector<DebugFrame> stack;  // outermost first
  std::vector<std::string> inputs;
};

// In the order of the log; the same message printed again is left out.
std::vector<CheckNumericsMessage> FindCheckNumerics(std::string_view log);

}  // namespace stepscope
