#pragma once

#include <string>

#include "base/message.h"
#include "base/result.h"

namespace stepscope {

struct StepTime {
  double median_seconds = 0;
  Message sentence;  // "median of 8 steps of trace.json.gz"
};

// The median of the steps that a report of this profile would use.
Result<StepTime> StepTimeOf(const std::string& profile, unsigned threads);

}  // namespace stepscope
