#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "trace/trace.h"

namespace stepscope {

// Work that one thread asked another to do: XLA copies and launches on threads of its own, which
// may run after the step that asked for them has ended on the host. Follows the profile's producer
// and consumer marks ("hand-over" flows). O(flows log slices) to build.
class HandOvers {
 public:
  explicit HandOvers(const Trace& trace);

  bool empty() const { return consumers_.empty(); }
  // When the call in this row was asked for: the time of the first producer behind it, its own
  // start where none is known. O(log flows) a hand-over.
  TimeNs AskedAt(uint32_t call) const;

 private:
  struct Consumer {
    uint32_t thread = 0;  // its first lane
    TimeNs start, end;
    TimeNs produced;
    uint32_t produced_on = 0;
  };
  const Consumer* Around(uint32_t thread, TimeNs time) const;

  const Trace& trace_;
  std::vector<uint32_t> thread_of_track_;  // the first lane of each track's thread
  std::vector<Consumer> consumers_;        // by thread, then start
};

}  // namespace stepscope
