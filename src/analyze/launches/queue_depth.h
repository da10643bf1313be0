#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// How much work was handed to one stream and had not started yet, over time.
struct QueueDepth {
  int32_t device = 0;  // of the track
  int32_t stream = 0;
  std::vector<TimeNs> time;  // where the depth changes, or the start of each bucket
  std::vector<uint32_t> depth;
};

// One series per stream with linked work. Where there are more changes than `most`, time is cut
// into that many buckets and each shows its largest depth. O(n log n).
std::vector<QueueDepth> QueueDepthsOf(const Trace& trace, const Links& links, size_t most);

}  // namespace stepscope
