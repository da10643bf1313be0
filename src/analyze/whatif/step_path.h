#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/linked_trace.h"

namespace stepscope {

// A stretch of a step's critical path: the device works, a thread does something, or both wait for
// a launch to arrive (kNoSlice).
struct CriticalSpan {
  TimeNs start;
  TimeNs end;
  SliceId slice = kNoSlice;
  bool device = false;
};

struct CriticalRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kOther;
  bool device = false;
  uint64_t spans = 0;
  DurationNs total;
};

// What the length of one step consists of: shortening anything else does not shorten the step.
struct CriticalPath {
  uint32_t step = kNoRow;           // index into Steps::items; kNoRow: there is none
  std::vector<CriticalSpan> spans;  // by time; they cover the step without holes or overlap
  std::vector<CriticalRow> rows;    // the same by name and place, the longest first
  DurationNs host, device, delay;   // add up to the step's length; delay: of launches to arrive
};

CriticalPath AnalyzeCriticalPath(const LinkedTrace& linked, uint32_t step);

}  // namespace stepscope
