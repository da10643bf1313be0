#pragma once

#include <algorithm>
#include <cstdint>

namespace stepscope {

// Longer than this, a span is not believed: it is stored without a duration and kept out of sums.
inline constexpr int64_t kLongestBelievedNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

// Time stamps are kept this far from the limits of int64 (until the year 2115 as epoch time), so
// that differences of two and the ends of believed spans never overflow.
inline constexpr int64_t kLatestNs = (int64_t{1} << 62) - (int64_t{1} << 50);

constexpr int64_t ClampTime(int64_t time) { return std::clamp(time, -kLatestNs, kLatestNs); }

constexpr bool IsAbsurd(int64_t start, int64_t duration) {
  return duration > kLongestBelievedNs || start != ClampTime(start);
}

}  // namespace stepscope
