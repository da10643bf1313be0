#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

// Numbers for people. All text is UTF-8 ("µs"); Style turns it into ASCII where that is wanted.
namespace stepscope {

// Three or four significant digits in the unit that fits: "850 ns", "12.3 µs", "196.4 ms",
// "1.23 s", "3 m 25 s".
std::string FormatDuration(DurationNs duration);

// The unit that fits the largest number of a column, so that all its rows share one.
enum class TimeUnit : uint8_t { kNs, kUs, kMs, kS };
TimeUnit UnitFor(DurationNs largest);
std::string_view NameOf(TimeUnit unit);  // "ns", "µs", "ms", "s"
// The bare number in that unit: "158.2", with a second decimal where the largest number of the
// column is under 10. Rounds half away from zero; ns have no decimals.
std::string FormatIn(TimeUnit unit, DurationNs duration, DurationNs largest);
// "57.6 … 58.0 ms".
std::string FormatRange(DurationNs least, DurationNs most);

// Binary units: "512 B", "1.50 KiB", "33.6 GiB".
std::string FormatBytes(int64_t bytes);

// "61,234".
std::string FormatCount(int64_t count);
std::string FormatCount(uint64_t count);

// "18.8" for part / whole in percent, "–" where the whole is 0.
std::string FormatPercent(int64_t part, int64_t whole);

}  // namespace stepscope
