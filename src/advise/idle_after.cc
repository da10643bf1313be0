#include "advise/idle_after.h"

#include <algorithm>
#include <utility>

namespace stepscope {

AfterSync IdleAfterSpans(const Evidence& e, std::span<const StepSpan> spans) {
  std::vector<Interval> input;
  for (const StepSpan& span : e.input_spans()) {
    input.push_back({e.trace.slices.start[span.slice], e.trace.slices.end(span.slice)});
  }
  const IntervalSet input_time = IntervalSet::Of(std::move(input));
  AfterSync after;
  std::vector<Interval> idle;
  for (const StepSpan& span : spans) {
    const TimeNs end = e.trace.slices.end(span.slice);
    const TimeNs until = std::min(end + e.IdleAfter(end), e.windows()[span.window].time.end);
    if (until <= end) continue;
    idle.push_back({end, until});
    after.guilty.push_back(span);
  }
  after.idle = e.PerStep(IntervalSet::Of(std::move(idle)).Subtract(input_time));
  return after;
}

}  // namespace stepscope
