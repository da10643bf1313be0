#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "link/device_work.h"

namespace stepscope {

// Work handed to one stream and not yet started: +1 at the start of the call, -1 at the start of
// the work.
struct StreamQueue {
  int32_t device = 0;  // index into Trace::devices
  int32_t stream = -1;
  uint64_t pairs = 0;  // of call and work
  uint64_t max = 0;
  double mean = 0;     // over time, from the first call to the last start
  uint64_t empty = 0;  // work that started when nothing else was queued
  uint64_t full = 0;   // launches that brought the queue to 1,024 or more
};
struct Launches {
  uint64_t calls = 0;  // that launched device work
  uint64_t pairs = 0;  // of call and work: a graph launch makes many
  std::optional<DurationNs> median_call, median_delay;
  DurationNs total_delay, max_delay;  // max(0, start of the work - end of the call)
  uint64_t queue_empty = 0;           // sums over the streams
  uint64_t queue_full = 0;
  std::vector<StreamQueue> queues;  // by device, then stream
};

// The hardware's limit on work queued to a stream; a launch beyond it blocks.
inline constexpr uint64_t kQueueLimit = 1024;

// What launching costs and how far ahead of the device the host is. O(n), plus a sort where calls
// of several threads interleave on one stream.
Launches AnalyzeLaunches(const Trace& trace, const Links& links, const DeviceWork& work);

}  // namespace stepscope
