#pragma once

#include "diff/run.h"
#include "study/reported.h"

namespace stepscope::diff {

// A few passes over the slices and the device work of one trace: O(n).
Run RunOfTrace(const Reported& reported);

}  // namespace stepscope::diff
