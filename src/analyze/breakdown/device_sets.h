#pragma once

#include <cstdint>
#include <span>

#include "base/intervals.h"
#include "base/task_pool.h"
#include "link/device_work.h"
#include "link/threads.h"
#include "trace/trace.h"

namespace stepscope {

// When a device did what. `busy` is the union of the others.
struct DeviceSets {
  IntervalSet compute;  // kernels that are not communication
  IntervalSet communication;
  IntervalSet copy;
  IntervalSet memset;
  IntervalSet busy;
};

// What rules ask of a device's sets.
struct DeviceBusy {
  int32_t device = 0;  // index into Trace::devices
  IntervalSet busy, compute;
};

enum class WhichWork : uint8_t { kAll, kLinked };

// Work in order of start: O(n).
DeviceSets SetsOf(WorkSpan work, WhichWork which);

// The host as the device of a profile without accelerators: compute while any thread is inside an
// op, communication while one waits in a collective; input stages and waits are not work.
DeviceSets HostSets(const Trace& trace, const Links& links, const Threads& threads, TaskPool& pool);

}  // namespace stepscope
