#include "tools/events/smoothing.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

std::vector<ScalarPoint> Smooth(std::span<const ScalarPoint> points, double weight) {
  std::vector<ScalarPoint> smooth(points.begin(), points.end());
  const bool constant = std::ranges::all_of(
      points, [&](const ScalarPoint& point) { return point.value == points.front().value; });
  if (constant || weight <= 0) return smooth;
  double average = 0;
  double remaining = 1;  // weight to the power of the values so far
  for (ScalarPoint& point : smooth) {
    if (!std::isfinite(point.value)) continue;
    average = average * weight + (1 - weight) * point.value;
    remaining *= weight;
    point.value = average / (1 - remaining);
  }
  return smooth;
}

}  // namespace stepscope
