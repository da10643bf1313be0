#pragma once

namespace stepscope {

// In how many jobs chance alone may make something wrong be said: of a hundred jobs, none in 19 of
// 20 cases. Every limit that weighs evidence against noise comes from this one number.
inline constexpr double kWrongJobs = 0.05 / 100;

// Beyond this a number with Student's distribution lies with the probability `tail` (below 1/2).
// `freedom` are the degrees of freedom, above 0, not necessarily whole.
double StudentQuantile(double tail, double freedom);

}  // namespace stepscope
