#pragma once

#include <utility>
#include <vector>

#include "base/ids.h"
#include "trace/trace.h"

namespace stepscope {

// (forward op, backward op), by backward op in order of start. By autograd's sequence number: the
// first backward op with a number answers to the forward op with that number that began last before
// it, the innermost. Where ops carry no numbers, by fwdbwd flows. O(n log n) in the ops with
// numbers.
std::vector<std::pair<SliceId, SliceId>> PairForwardBackward(const Trace& trace);

}  // namespace stepscope
