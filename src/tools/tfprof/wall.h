#pragma once

#include <cstdint>
#include <vector>

#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

struct WallTimes {
  int64_t micros = 0;  // anything of the row ran
  int64_t accelerator_micros = 0;
  int64_t cpu_micros = 0;
};

// For each row of the view: how long at least one op below it ran, where tfprof adds up what ran
// side by side. With step < 0 the mean over all steps, those in which nothing of it ran included.
// O(runs × depth).
std::vector<WallTimes> WallOf(const Model& model, const View& view, int64_t step);

}  // namespace stepscope::tfprof
