#include "tools/timeline/ascii_json.h"

#include <fmt/core.h>

#include <cstdint>

namespace stepscope {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

// Takes one UTF-8 character off the front; a byte that is part of none counts for itself.
uint32_t TakeCharacter(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size == 0 || size > text.size() || first > 0xf4) {
    text.remove_prefix(1);
    return kReplacement;
  }
  uint32_t code = size == 1 ? first : first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return kReplacement;
    }
    code = code << 6 | (byte & 0x3f);
  }
  text.remove_prefix(size);
  return code;
}

}  // namespace

std::string QuoteAscii(std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  std::string out = "\"";
  while (!text.empty()) {
    const uint32_t c = TakeCharacter(text);
    const size_t escape = c < 0x80 ? kEscaped.find(static_cast<char>(c)) : std::string_view::npos;
    if (escape != std::string_view::npos) {
      out += '\\';
      out += kLetters[escape];
    } else if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((c - 0x10000) >> 10),
                         0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  return out + '"';
}

}  // namespace stepscope
