#pragma once

#include <vector>

#include "base/result.h"
#include "capture/processes/processes.h"
#include "capture/target.h"

namespace stepscope {

// The processes that are wanted and will poll. An Error where none can: which of what they need is
// missing, and what to do.
Result<std::vector<ProcessFacts>> ExpectedProcesses(const CaptureTarget& target,
                                                    const std::vector<ProcessFacts>& all);

}  // namespace stepscope
