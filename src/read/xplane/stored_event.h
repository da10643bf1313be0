#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope::xplane {

// One XEvent with everything the file says about it.
struct StoredEvent {
  std::string plane, line, name;
  int64_t offset_ps = 0;  // from the line's time stamp
  int64_t duration_ps = 0;
  std::vector<std::pair<std::string, std::string>> stats;  // of the event, then of its metadata
};

// Reads the event with this ordinal (plane, line, event order) again. Cost: reading the file and
// walking the lengths of the events before it, 2 ns each.
Result<StoredEvent> ReadStoredEvent(const std::string& path, uint64_t ordinal);

}  // namespace stepscope::xplane
