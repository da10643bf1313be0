#include "advise/idle_after.h"

#include <algorithm>
#include <utility>

#include "analyze/idle/idle.h"

namespace stepscope {

namespace {

// What else kept the device waiting: input, and what the idle time itself is blamed on. Short
// stretches of Python stand between the calls that fill the queue again, and belong to the sync.
IntervalSet OtherReasons(const Evidence& e) {
  std::vector<Interval> others;
  for (const StepSpan& span : e.input_spans()) {
    others.push_back({e.trace.slices.start[span.slice], e.trace.slices.end(span.slice)});
  }
  for (const IdleGaps& gaps : e.report.idle_gaps) {
    if (gaps.device != e.device()) continue;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      const Cause cause = gaps.cause[i];
      const bool of_sync = cause == Cause::kSync || cause == Cause::kLaunch ||
                           cause == Cause::kHostOp || cause == Cause::kCopyWait;
      const bool between =
          (cause == Cause::kPython || cause == Cause::kUnknown) && gaps.duration[i] < kFeedingGap;
      if (!of_sync && !between) {
        others.push_back({gaps.start[i], gaps.start[i] + gaps.duration[i]});
      }
    }
  }
  return IntervalSet::Of(std::move(others));
}

}  // namespace

AfterSync IdleAfterSpans(const Evidence& e, std::span<const StepSpan> spans) {
  AfterSync after;
  std::vector<Interval> idle;
  for (const StepSpan& span : spans) {
    const TimeNs end = e.trace.slices.end(span.slice);
    const TimeNs until = std::min(end + e.IdleAfter(end), e.windows()[span.window].time.end);
    if (until <= end) continue;
    // A span of the program's own that waits also copies and converts while the device is idle.
    const bool own = e.trace.slices.kind[span.slice] == Kind::kSync;
    idle.push_back({own ? e.trace.slices.start[span.slice] : end, until});
    after.guilty.push_back(span);
  }
  after.idle =
      e.PerStep(IntervalSet::Of(std::move(idle)).Subtract(e.busy()).Subtract(OtherReasons(e)));
  return after;
}

}  // namespace stepscope
