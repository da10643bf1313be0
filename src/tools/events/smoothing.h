#pragma once

#include <span>
#include <vector>

#include "read/tfevents/run_log.h"

namespace stepscope {

// TensorBoard's smoothing of a curve: an exponential moving average with this weight (0: none, up
// to below 1), corrected for its start. Values that are not finite stay as they are and do not
// enter the average; a constant curve stays as it is.
std::vector<ScalarPoint> Smooth(std::span<const ScalarPoint> points, double weight);

}  // namespace stepscope
