#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/tune/trial.h"

namespace stepscope::tune {

struct MeasureOptions {
  std::vector<std::string> command;
  std::string folder;    // where each run gets a directory of its own
  int64_t limit_ns = 0;  // of a run; 0: none
};

// Runs the program once under a setting and takes its step times from the recorder's hook; the
// recorder samples nothing meanwhile. An Error only when the program cannot be started.
Result<Measured> Measure(const MeasureOptions& options, const Setting& setting, int64_t number,
                         int& exit_code);

}  // namespace stepscope::tune
