#include "present/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace stepscope {
namespace {

constexpr int64_t PerUnit(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return 1;
    case TimeUnit::kUs:
      return 1'000;
    case TimeUnit::kMs:
      return 1'000'000;
    case TimeUnit::kS:
      return 1'000'000'000;
  }
  std::unreachable();
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
}

__extension__ using Wide = unsigned __int128;

// value / per with so many decimals, from integers: no double loses digits on the way.
std::string Decimal(int64_t value, int64_t per, int decimals) {
  constexpr std::array<uint64_t, 4> kPower = {1, 10, 100, 1000};
  const uint64_t scale = kPower[static_cast<size_t>(decimals)];
  const auto wide = static_cast<Wide>(Magnitude(value)) * scale;
  const auto scaled =
      static_cast<uint64_t>((wide + static_cast<uint64_t>(per) / 2) / static_cast<uint64_t>(per));
  std::string text = FormatCount(scaled / scale);
  if (decimals > 0) text += fmt::format(".{:0{}}", scaled % scale, decimals);
  return value < 0 && scaled != 0 ? "-" + text : text;
}

}  // namespace

TimeUnit UnitFor(DurationNs largest) {
  const uint64_t ns = Magnitude(largest.ns);
  if (ns < 1'000) return TimeUnit::kNs;
  if (ns < 1'000'000) return TimeUnit::kUs;
  if (ns < 10'000'000'000) return TimeUnit::kMs;
  return TimeUnit::kS;
}

std::string_view NameOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return "ns";
    case TimeUnit::kUs:
      return "µs";
    case TimeUnit::kMs:
      return "ms";
    case TimeUnit::kS:
      return "s";
  }
  std::unreachable();
}

std::string FormatIn(TimeUnit unit, DurationNs duration, DurationNs largest) {
  const bool small = Magnitude(largest.ns) < static_cast<uint64_t>(PerUnit(unit)) * 10;
  return Decimal(duration.ns, PerUnit(unit), unit == TimeUnit::kNs ? 0 : small ? 2 : 1);
}

std::string FormatRange(DurationNs least, DurationNs most) {
  const TimeUnit unit = UnitFor(most);
  return fmt::format("{} … {} {}", FormatIn(unit, least, most), FormatIn(unit, most, most),
                     NameOf(unit));
}

std::string FormatDuration(DurationNs duration) {
  const uint64_t ns = Magnitude(duration.ns);
  if (ns >= 100'000'000'000) {
    const uint64_t seconds = (ns + 500'000'000) / 1'000'000'000;
    return fmt::format("{}{} m {:02} s", duration.ns < 0 ? "-" : "", FormatCount(seconds / 60),
                       seconds % 60);
  }
  const TimeUnit unit = ns >= 1'000'000'000 ? TimeUnit::kS : UnitFor(duration);
  const int decimals = unit == TimeUnit::kNs ? 0 : unit == TimeUnit::kS ? 2 : 1;
  return fmt::format("{} {}", Decimal(duration.ns, PerUnit(unit), decimals), NameOf(unit));
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (Magnitude(bytes) < 1024) return fmt::format("{} B", bytes);
  size_t unit = 0;
  int64_t per = 1024;
  while (unit + 1 < kUnits.size() && Magnitude(bytes) / 1024 >= static_cast<uint64_t>(per)) {
    per *= 1024;
    ++unit;
  }
  const uint64_t whole = Magnitude(bytes) / static_cast<uint64_t>(per);
  const int decimals = whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
  return fmt::format("{} {}", Decimal(bytes, per, decimals), kUnits[unit]);
}

std::string FormatCount(uint64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string out;
  out.reserve(digits.size() + digits.size() / 3);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out.push_back(',');
    out.push_back(digits[i]);
  }
  return out;
}

std::string FormatCount(int64_t count) {
  return (count < 0 ? "-" : "") + FormatCount(Magnitude(count));
}

std::string FormatPercent(int64_t part, int64_t whole) {
  if (whole == 0) return "–";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace stepscope
