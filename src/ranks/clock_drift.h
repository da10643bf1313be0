#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope {

// What a mark says of a clock: at this time of the file, so much has to be added.
struct ClockMark {
  int64_t time = 0;  // since the file's first event
  int64_t difference = 0;
};

struct DriftLine {
  double start = 0;  // to add at the file's first event
  double slope = 0;  // more for every nanosecond since then
  double error = 0;  // at the ends of the file, where it is largest
};

// Crystals of two machines differ by some millionths, which a minute turns into tens of
// microseconds. None where the marks show no drift beyond what they scatter; `tail` is how often
// they may by chance.
std::optional<DriftLine> FindDrift(std::vector<ClockMark> marks, double tail);

}  // namespace stepscope
