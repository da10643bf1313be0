#include "read/chrome_json/decimal.h"

#include <charconv>
#include <limits>

namespace stepscope::chrome_json {
namespace {

// A decimal number taken apart: digits without the point, and where the point belongs.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::string_view TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::optional<Decimal> Split(std::string_view text) {
  constexpr int64_t kFarExponent = 1'000'000;
  Decimal decimal;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    decimal.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  decimal.whole = TakeDigits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    decimal.fraction = TakeDigits(text);
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    bool down = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
      down = text[0] == '-';
      text.remove_prefix(1);
    }
    const std::string_view digits = TakeDigits(text);
    if (digits.empty()) return std::nullopt;
    int64_t value = 0;
    for (const char c : digits) value = std::min(value * 10 + (c - '0'), kFarExponent);
    decimal.exponent = down ? -value : value;
  }
  if (!text.empty()) return std::nullopt;
  return decimal;
}

// round half up of decimal * 10^shift; no value when the magnitude reaches `limit`.
std::optional<uint64_t> Scale(const Decimal& decimal, int64_t shift, uint64_t limit) {
  // Digits before `point` make the integer; one after it decides the rounding.
  const auto digits = static_cast<int64_t>(decimal.whole.size() + decimal.fraction.size());
  const int64_t point = static_cast<int64_t>(decimal.whole.size()) + decimal.exponent + shift;
  const auto digit = [&](int64_t i) -> unsigned {
    if (i < 0 || i >= digits) return 0;
    const auto at = static_cast<size_t>(i);
    const char c =
        at < decimal.whole.size() ? decimal.whole[at] : decimal.fraction[at - decimal.whole.size()];
    return static_cast<unsigned>(c - '0');
  };
  uint64_t value = 0;  // limit <= 2^63, so that limit / 10 * 10 + 9 fits
  for (int64_t i = 0; i < point; ++i) {
    if (i >= digits && value == 0) break;  // only zeros follow
    if (value > limit / 10) return std::nullopt;
    value = value * 10 + digit(i);
  }
  bool up = point < digits && digit(point) >= 5;
  if (up && decimal.negative && digit(point) == 5) {
    // Exactly half goes towards +infinity, which is down in magnitude.
    up = false;
    for (int64_t i = point + 1; i < digits && !up; ++i) up = digit(i) != 0;
  }
  value += up ? 1 : 0;
  if (value >= limit) return std::nullopt;
  return value;
}

int64_t Signed(uint64_t magnitude, bool negative) {
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

}  // namespace

std::optional<int64_t> ParseTime(std::string_view text) {
  const std::optional<Decimal> decimal = Split(text);
  if (!decimal) return std::nullopt;
  const std::optional<uint64_t> ns = Scale(*decimal, 3, uint64_t{1} << 62);
  if (!ns) return std::nullopt;
  return Signed(*ns, decimal->negative);
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  const std::optional<Decimal> decimal = Split(text);
  if (!decimal) return std::nullopt;
  uint64_t value = 0;  // 20 digits may still fit, which Scale's limit cannot say
  if (decimal->fraction.empty() && decimal->exponent == 0 && !decimal->negative) {
    const auto [end, error] = std::from_chars(decimal->whole.data(),
                                              decimal->whole.data() + decimal->whole.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  const std::optional<uint64_t> scaled = Scale(*decimal, 0, uint64_t{1} << 63);
  if (!scaled) return std::nullopt;
  return Signed(*scaled, decimal->negative);
}

std::optional<double> ParseReal(std::string_view text) {
  if (!Split(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace stepscope::chrome_json
