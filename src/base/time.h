#pragma once

#include <compare>
#include <cstdint>

namespace stepscope {

// A length of time in whole nanoseconds.
struct DurationNs {
  int64_t ns = 0;

  friend constexpr auto operator<=>(DurationNs, DurationNs) = default;
  friend constexpr DurationNs operator+(DurationNs a, DurationNs b) { return {a.ns + b.ns}; }
  friend constexpr DurationNs operator-(DurationNs a, DurationNs b) { return {a.ns - b.ns}; }
  constexpr DurationNs& operator+=(DurationNs d) {
    ns += d.ns;
    return *this;
  }
  constexpr DurationNs& operator-=(DurationNs d) {
    ns -= d.ns;
    return *this;
  }
};

// A point in time in whole nanoseconds; in a Trace always since the trace's first event.
struct TimeNs {
  int64_t ns = 0;

  friend constexpr auto operator<=>(TimeNs, TimeNs) = default;
  friend constexpr TimeNs operator+(TimeNs t, DurationNs d) { return {t.ns + d.ns}; }
  friend constexpr TimeNs operator-(TimeNs t, DurationNs d) { return {t.ns - d.ns}; }
  friend constexpr DurationNs operator-(TimeNs a, TimeNs b) { return {a.ns - b.ns}; }
};

}  // namespace stepscope
