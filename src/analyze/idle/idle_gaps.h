#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/idle/cause.h"
#include "base/ids.h"
#include "base/intervals.h"
#include "base/time.h"

namespace stepscope {

struct IdleGap {
  TimeNs start;
  DurationNs length;
  Cause cause = Cause::kUnknown;
  SliceId blamed = kNoSlice;     // what the launching thread was doing
  SliceId next_work = kNoSlice;  // the device slice that ended the gap
  uint32_t step = kNoRow;
};

struct IdleCause {
  int32_t device = 0;
  Cause cause = Cause::kUnknown;
  DurationNs total;
  uint64_t gaps = 0;
  IdleGap longest;
  std::string example;  // "aten::item → cudaStreamSynchronize"
};

// Why one device was idle, stretch by stretch in order of time, as columns: what the timeline
// draws. Neighbours with the same cause and culprit are one stretch. 25 bytes per stretch.
struct IdleGaps {
  int32_t device = 0;  // index into Trace::devices
  std::vector<TimeNs> start;
  std::vector<DurationNs> duration;
  std::vector<Cause> cause;
  std::vector<SliceId> blamed;     // what the launching thread was doing
  std::vector<SliceId> next_work;  // the device slice that ended the gap
  // What kept the host busy where it is the device; empty for others, whose work is on streams.
  IntervalSet host_busy = {};

  void Add(TimeNs from, DurationNs length, Cause why, SliceId blame, SliceId next);
  void Reserve(size_t stretches);
  void ShrinkToFit();
  size_t Bytes() const { return start.capacity() * 25; }
};

}  // namespace stepscope
