#include "advise/forecast.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

void Widen(DurationNs step, DurationNs most, Saving& saving) {
  const auto lo = static_cast<double>(saving.replay_lo.ns);
  const auto hi = static_cast<double>(saving.replay_hi.ns);
  const double error = kErrorOfStep * static_cast<double>(step.ns);
  const double middle = (lo + hi) / 2;
  const double half = (hi - lo) / 2;
  const auto limited = [&](double ns) {
    return DurationNs{std::clamp<int64_t>(std::llround(ns), 0, most.ns)};
  };
  saving.lo = limited(middle - std::hypot(half, std::min(error, kErrorBelow * lo)));
  saving.hi = limited(middle + std::hypot(half, std::min(error, kErrorAbove * hi)));
}

}  // namespace stepscope
