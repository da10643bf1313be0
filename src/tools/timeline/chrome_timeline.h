#pragma once

#include "base/result.h"
#include "io/byte_sink.h"
#include "tools/timeline/timeline_plan.h"

namespace stepscope {

// The timeline as Chrome trace JSON, written as it goes: memory does not grow with the trace. Times
// are microseconds with as many digits as nanoseconds need.
Result<void> WriteChromeTimeline(const TimelinePlan& plan, const TimelineOptions& options,
                                 ByteSink& sink);

}  // namespace stepscope
