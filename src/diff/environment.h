#pragma once

#include "diff/diff.h"

namespace stepscope::diff {

// Fills Diff::environment, and notes on what the sides consist of.
void CompareEnvironment(Diff& diff);

// Whether times of the two sides mean the same: not for jobs of different size.
bool IsComparable(const Diff& diff);
// Whether a change in the environment forbids a gate on time.
bool BreaksTime(const Diff& diff);
// Both sides are the same recording.
bool SameRecording(const Diff& diff);

}  // namespace stepscope::diff
