#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/idle/cause.h"
#include "analyze/timeline_tiles/timeline.h"
#include "base/intervals.h"
#include "link/links.h"

namespace stepscope {

struct SelectionRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kOther;
  uint64_t calls = 0;    // spans that touch the stretch
  DurationNs total;      // of their parts inside it
  DurationNs self;       // the same without what is nested in them
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

// What one row of the sum is about: a name, a kind, or the op that a span belongs to (of device
// work the op that launched it). Spans of no op keep their own name.
enum class SelectionBy : uint8_t { kName, kKind, kOp };

struct SelectionQuestion {
  Interval stretch;
  std::span<const uint32_t> lines = {};  // of the timeline, without repeats; none: all
  SelectionBy by = SelectionBy::kName;
};

// The lines limit what the rows add up; busy and idle time is always that of whole devices.
// O(spans that touch the stretch), plus O(log spans) a line.
Selection AggregateSelection(const Timeline& timeline, const Links& links,
                             const SelectionQuestion& question);

}  // namespace stepscope
