#pragma once

#include <span>
#include <vector>

#include "advise/evidence.h"
#include "base/time.h"

// Idle time of the device as stretches of one cause, and what of it can be cut out.
namespace stepscope {

struct Stretch {
  Interval time;
  SliceId thread = kNoSlice;  // a span of the thread
  SliceId blamed = kNoSlice;  // kNoSlice: only the step
};
// The stretches of a cause inside used steps.
std::vector<Stretch> StretchesOf(const Evidence& e, Cause cause);

// The innermost function or region in which most of the stretches are: there is something to write.
// kEmptyString: none. Names that are around everything say nothing.
StringId CulpritOf(const Evidence& e, std::span<const Stretch> stretches);

// The stretches cut out of their threads; with a name, those inside of it.
std::vector<Change> Cut(const Evidence& e, std::span<const Stretch> stretches, StringId inside);

// Takes out the short stretches that calling executables takes anyway. How long those are, per
// step.
DurationNs DropDispatch(const Evidence& e, bool python, std::vector<Stretch>& stretches);

}  // namespace stepscope
