#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "read/tfevents/run_log.h"

namespace stepscope {

// One row per step, one column per tag (of a run, if there are several). A cell holds the last
// value written for its step.
struct StepTable {
  std::vector<std::string> columns;
  struct Row {
    int64_t step;
    std::vector<std::optional<double>> cells;
  };
  std::vector<Row> rows;  // by step
};

// Needs runs that were read with their scalar points.
StepTable TableOfSteps(const std::vector<RunLog>& runs);

}  // namespace stepscope
