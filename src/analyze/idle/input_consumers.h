#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Threads on which a program's executor asks for the next batch (tf.data's IteratorGetNext): the
// loop's own thread then only waits for the executor and shows nothing of input. Threads that fetch
// ahead of the program are not included.
std::vector<uint32_t> InputConsumerTracks(const Trace& trace);

}  // namespace stepscope
