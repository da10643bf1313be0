#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "base/intervals.h"
#include "base/task_pool.h"
#include "link/device_work.h"
#include "link/links.h"
#include "link/steps.h"
#include "link/threads.h"
#include "trace/trace.h"

namespace stepscope {

// A trace with what its file leaves implicit. Made once; analyses, rules, the timeline and Python
// all read it and none of them changes it. The trace must outlive it. Costs about 25 bytes per
// piece of device work and 9 per runtime call.
struct LinkedTrace {
  // Nothing is linked yet.
  explicit LinkedTrace(const Trace& the_trace) : trace(the_trace), threads(the_trace) {}

  const Trace& trace;
  Links links;
  Steps steps;
  DeviceWork work;
  Threads threads;
  uint32_t main_thread = kNoRow;  // of `threads`: see MainThread
  // The stretches of time that analyses are about: the steps, or one window (see WindowsOf).
  std::vector<Interval> windows;
  std::optional<int32_t> host_device;  // see HostDevice
  Diagnostics diagnostics;             // what finding steps had to guess or leave out
};

// Steps outside of the range are marked as not selected and otherwise stay.
LinkedTrace LinkTrace(const Trace& trace, const StepRange& selected, TaskPool& pool);

// Heap bytes of what was added to the trace.
size_t BytesOf(const LinkedTrace& linked);

}  // namespace stepscope
