#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct Holder {
  std::string op;  // innermost op around the allocation, or empty
  int64_t bytes = 0;
  uint64_t blocks = 0;
};

// Who holds the memory of a device at a moment: what was allocated in the profile before it and not
// freed yet.
struct Holders {
  int64_t bytes = 0;
  uint64_t blocks = 0;
  int64_t before = 0;           // allocated before the profile began and still held, by the
                                // allocator's own figure; 0 where the file has none
  std::vector<Holder> holders;  // by bytes, then name
};

// O(allocations before the moment x log slices).
Holders HoldersAt(const Trace& trace, DeviceType type, int32_t device, TimeNs time);

}  // namespace stepscope
