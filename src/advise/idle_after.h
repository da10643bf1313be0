#pragma once

#include <span>
#include <vector>

#include "advise/evidence.h"
#include "base/time.h"

namespace stepscope {

// Idle time after each span until the device works again, without input, inside the step. Per step.
struct AfterSync {
  DurationNs idle{};
  std::vector<StepSpan> guilty;
};
AfterSync IdleAfterSpans(const Evidence& e, std::span<const StepSpan> spans);

}  // namespace stepscope
