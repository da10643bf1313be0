#pragma once

#include <cstdint>
#include <vector>

#include "analyze/input/stages.h"
#include "base/intervals.h"
#include "link/threads.h"

namespace stepscope {

// How long the program waited for input in each window (on whichever thread asks for the next
// batch), and what the stages of the pipeline cost, the costliest first. O(slices).
Input AnalyzeInput(const Trace& trace, const Threads& threads, uint32_t main_thread,
                   const std::vector<Interval>& windows);

}  // namespace stepscope
