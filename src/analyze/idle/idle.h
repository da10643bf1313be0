#pragma once

#include <array>
#include <span>
#include <vector>

#include "analyze/idle/idle_gaps.h"
#include "base/intervals.h"
#include "link/linked_trace.h"

namespace stepscope {

// A gap shorter than this in which the launching thread was busy with ops, Python or launch calls
// counts as launch-bound: the host launches work piece by piece and cannot keep up. Longer gaps are
// the host's own work. An eager op takes 5 to 50 µs from Python to launch.
inline constexpr DurationNs kFeedingGap{100'000};

// Why one device was idle. Every nanosecond of a window in which nothing runs on the device has
// exactly one cause: what the thread that launches the next device work was doing at that time
// (docs/report.md has the precedence). Time between a launch call's end and the start of its work
// is kLaunch.
struct DeviceIdle {
  int32_t device = 0;
  std::vector<std::array<DurationNs, kCauses>> by_window;
  // Of kHostOp, kPython and kUnknown: the part in gaps shorter than kFeedingGap.
  std::vector<DurationNs> feeding;
  // Over the windows that count, and between them; by time, then cause.
  std::vector<IdleCause> causes;
  IdleGaps gaps;  // every stretch with its cause, in all windows and between them
};

// One pass over the device's gaps and one over the threads that launch: O(slices + work).
// `work` is empty for the host itself, whose gaps have no next work.
DeviceIdle AnalyzeIdle(const LinkedTrace& linked, int32_t device, const IntervalSet& busy,
                       WorkSpan work);

}  // namespace stepscope
