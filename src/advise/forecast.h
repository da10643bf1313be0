#pragma once

#include "advise/finding.h"

namespace stepscope {

// What mending a cause gave, measured without a profiler, lay this far outside of what the replay
// had said, as a share of the step: the 0.9 quantile over the programs of known causes that the
// rules were tuned on. `bench/diagnosis/widen.py` computes these numbers again.
inline constexpr double kErrorOfStep = 0.114;
// The same as a share of the replay's lower and upper end, at most: small savings are not off by a
// tenth of the step.
inline constexpr double kErrorBelow = 0.22;
inline constexpr double kErrorAbove = 1.19;

// Widens a replay's interval to a forecast. The error does not depend on how far apart the ends
// are, so that half the length of the interval and the error add up in squares: what is narrow gets
// wider, what is wide hardly. Never above `most`, what a step can give back.
void Widen(DurationNs step, DurationNs most, Saving& saving);

}  // namespace stepscope
