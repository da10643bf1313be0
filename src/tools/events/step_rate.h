#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "read/tfevents/run_log.h"

namespace stepscope {

// A stretch in which steps came slower than usual.
struct SlowPeriod {
  int64_t first_step = 0;
  int64_t last_step = 0;
  double start = 0;  // wall time, seconds
  double seconds = 0;
  double steps_per_second = 0;
  double times_slower = 0;  // than the median interval
};

struct StepRate {
  uint64_t intervals = 0;
  int64_t steps = 0;
  double seconds = 0;
  double steps_per_second = 0;  // steps / seconds: of the whole run, pauses included
  double median = 0;            // of the intervals, weighted by nothing
  std::vector<SlowPeriod> slow;
};

// Steps per second from the wall times of one tag's points. An interval is slow when it runs at
// less than half the median rate; slow intervals next to each other are one period. Points whose
// step or time does not advance are left out. nullopt with fewer than two usable points.
std::optional<StepRate> RateOf(std::span<const ScalarPoint> points);

}  // namespace stepscope
