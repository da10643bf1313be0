#include "read/chrome_json/text.h"

#include <cstdint>
#include <cstring>
#include <optional>

namespace stepscope::chrome_json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void AppendCodePoint(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Four hexadecimal digits at the start of `text`.
std::optional<uint32_t> Hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    const char c = text[i];
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value << 4 | static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// Resolves \uXXXX at the start of `text` (with a second one for a pair); bytes used, 0 if
// malformed.
size_t AppendUnicodeEscape(std::string_view text, std::string& out) {
  const std::optional<uint32_t> first = Hex4(text.substr(2));
  if (!first) return 0;
  const bool high = *first >= 0xd800 && *first < 0xdc00;
  if (high && text.substr(6).starts_with("\\u")) {
    const std::optional<uint32_t> second = Hex4(text.substr(8));
    if (second && *second >= 0xdc00 && *second < 0xe000) {
      AppendCodePoint(0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00), out);
      return 12;
    }
  }
  if (*first >= 0xd800 && *first < 0xe000) {
    out += kReplacement;
  } else {
    AppendCodePoint(*first, out);
  }
  return 6;
}

std::optional<char> ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

struct Utf8Step {
  size_t bytes = 1;
  bool valid = false;
};

// The character at the start of `text` (not empty): how many bytes belong together.
Utf8Step StepUtf8(std::string_view text) {
  const auto byte = [&](size_t i) -> uint8_t {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : 0;
  };
  const uint8_t first = byte(0);
  if (first < 0x80) return {1, true};
  size_t more = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    more = 1;
  } else if (first >= 0xe0 && first <= 0xef) {
    more = 2;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    more = 3;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i <= more; ++i) {
    if (byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {more + 1, true};
}

size_t AsciiRun(std::string_view text) {
  size_t at = 0;
  for (uint64_t word = 0; at + 8 <= text.size(); at += 8) {
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080) != 0) break;
  }
  while (at < text.size() && static_cast<uint8_t>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

void AppendUnescaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    size_t used = 0;
    if (text.size() >= 2) {
      if (const std::optional<char> c = ShortEscape(text[1])) {
        out += *c;
        used = 2;
      } else if (text[1] == 'u') {
        used = AppendUnicodeEscape(text, out);
      }
    }
    if (used == 0) {
      out += '\\';
      used = 1;
    }
    text.remove_prefix(used);
  }
}

bool IsValidUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(AsciiRun(text));
    if (text.empty()) return true;
    const Utf8Step step = StepUtf8(text);
    if (!step.valid) return false;
    text.remove_prefix(step.bytes);
  }
}

void AppendRepairedUtf8(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const Utf8Step step = StepUtf8(text);
    out += step.valid ? text.substr(0, step.bytes) : kReplacement;
    text.remove_prefix(step.bytes);
  }
}

void AppendCompact(std::string_view json, std::string& out) {
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || static_cast<uint8_t>(c) > ' ') out += c;
  }
}

}  // namespace stepscope::chrome_json
