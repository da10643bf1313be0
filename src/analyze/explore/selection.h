#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/idle/cause.h"
#include "analyze/timeline_tiles/timeline.h"
#include "base/intervals.h"

namespace stepscope {

struct SelectionRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kOther;
  uint64_t calls = 0;    // spans that touch the stretch
  DurationNs total;      // of their parts inside it
  uint32_t longest = 0;  // slice
};

struct SelectionDevice {
  int32_t device = 0;  // index into Trace::devices
  DurationNs busy;     // union of the work inside
  std::array<DurationNs, kCauses> idle{};
};

// What runs in a stretch of time.
struct Selection {
  uint64_t spans = 0;
  std::vector<SelectionRow> rows;  // by total, then name
  std::vector<SelectionDevice> devices;
};

// O(spans that touch the stretch), plus O(log spans) a line.
Selection AggregateSelection(const Timeline& timeline, Interval stretch);

}  // namespace stepscope
