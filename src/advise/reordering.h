#pragma once

#include <vector>

#include "advise/evidence.h"

namespace stepscope {

// Kernels that only re-order data, and the calls of the program that asked for them.
struct Reordering {
  std::vector<StepSpan> kernels, calls;
};
Reordering ReorderingOf(const Evidence& e);

}  // namespace stepscope
