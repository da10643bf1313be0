#pragma once

#include <vector>

#include "analyze/input/stages.h"
#include "base/intervals.h"
#include "trace/trace.h"

namespace stepscope {

// Whether the profile has tf.data iterators ("Iterator::Root::Prefetch …").
bool HasTfData(const Trace& trace);

// The input pipeline of tf.data as a tree of iterators.
//   - wait: union of the calls of the roots inside the window: what the program waited for input.
//   - self of a stage: its time without the time in which a stage below it was running, on whatever
//     thread. A Prefetch that waits for its producer has none.
//   - blocking of a stage: the part of all waits in which it, and no stage below it, kept the
//   program
//     waiting. Adds up to the waits.
// Stages by blocking, then self, then path. O(n log n) in the iterator calls.
Input AnalyzeTfData(const Trace& trace, const std::vector<Interval>& windows);

}  // namespace stepscope
