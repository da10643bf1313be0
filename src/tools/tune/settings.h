#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/tune/trial.h"

namespace stepscope::tune {

// "VAR=1,2,4": one setting for each value. A comma inside a value is written "\,".
Result<std::vector<Setting>> SettingsOf(std::string_view text);

struct ProgramFacts {
  std::string framework;  // "PyTorch", "TensorFlow", "JAX"; empty: none
  bool has_gpu = false;
  int64_t cpus = 1;       // that the program may use
  std::string xla_flags;  // what is set already
};

// What is worth trying for such a program: thread pools, connections to the GPU, allocators, flags
// of XLA.
std::vector<Setting> UsualSettings(const ProgramFacts& facts);

}  // namespace stepscope::tune
