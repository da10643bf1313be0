#pragma once

#include <array>
#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"
#include "analyze/threads.h"
#include "base/intervals.h"

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
};

struct IdleInput {
  const Trace& trace;
  const Links& links;
  const Steps& steps;
  const Threads& threads;
  uint32_t main_thread;                  // kNoRow: none
  const std::vector<Interval>& windows;  // the steps, or one window
  // Where wanted, every stretch of idle time with its cause, in order of time.
  std::vector<IdleGap>* every_gap = nullptr;
};

// One pass over the device's gaps and one over the threads that launch: O(slices + work).
// `work` is empty for the host itself, whose gaps have no next work.
DeviceIdle AnalyzeIdle(const IdleInput& input, int32_t device, const IntervalSet& busy,
                       std::span<const Work> work);

}  // namespace stepscope
