#pragma once

#include <cstdint>
#include <vector>

#include "tools/tfprof/filter.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

// Fills in what a row that stands for several nodes counts: numbers, devices, types and members of
// those that the filter picks. Returns whether the row is accounted.
bool AccountGroup(const Model& model, const Filter& filter, const std::vector<int32_t>& nodes,
                  ViewNode& row);

}  // namespace stepscope::tfprof
