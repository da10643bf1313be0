#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace stepscope::chrome_json {

// Microseconds in decimal digits to whole nanoseconds, exact: digits past the nanosecond round half
// up (towards +infinity), no double is involved. Accepts a sign, a fraction and an exponent. No
// value when the text is no number or out of range (|ns| must stay below 2^62).
std::optional<int64_t> ParseTime(std::string_view text);

// A whole number: decimal with sign, fraction or exponent (rounded as above), or 0x hexadecimal.
// Unsigned values up to 2^64-1 keep their bits. No value when the text is no number.
std::optional<int64_t> ParseInteger(std::string_view text);

// Any decimal number; "inf", "nan" and the like are no numbers.
std::optional<double> ParseReal(std::string_view text);

// Eight ASCII digits at once: whether they are, and their value. Needs eight readable bytes.
inline bool EightDigits(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  return ((word & 0xf0f0f0f0f0f0f0f0) |
          (((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333;
}
inline uint32_t ValueOfEight(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  word -= 0x3030303030303030;
  word = word * 10 + (word >> 8);
  return static_cast<uint32_t>((((word & 0x000000ff000000ff) * 0x000f424000000064) +
                                (((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
                               32);
}
inline bool IsDigit(char c) { return static_cast<uint8_t>(c - '0') < 10; }

}  // namespace stepscope::chrome_json
