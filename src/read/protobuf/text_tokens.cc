#include "read/protobuf/text_tokens.h"

#include <algorithm>

namespace stepscope {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

void TextTokens::Position(uint64_t& line, uint64_t& column) const {
  const std::string_view before = text_.substr(0, start_);
  line = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t last = before.rfind('\n');
  column = start_ - (last == std::string_view::npos ? 0 : last + 1) + 1;
}

void TextTokens::SkipBlank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      ++at_;
    } else {
      return;
    }
  }
}

void TextTokens::Next() {
  SkipBlank();
  start_ = at_;
  kind_ = Kind::kEnd;
  if (at_ == text_.size()) {
    token_ = {};
    return;
  }
  const char c = text_[at_];
  if (c == '"' || c == '\'') {
    kind_ = ReadString(c) ? Kind::kString : Kind::kBad;
  } else if (IsLetter(c)) {
    while (at_ < text_.size() && (IsLetter(text_[at_]) || IsDigit(text_[at_]))) ++at_;
    kind_ = Kind::kName;
  } else if (IsDigit(c) || c == '.') {
    // Digits, hex, exponent with its sign and the f of floats in one run.
    while (at_ < text_.size() &&
           (IsLetter(text_[at_]) || IsDigit(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '-' || text_[at_] == '+') &&
             (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))) {
      ++at_;
    }
    kind_ = Kind::kNumber;
  } else {
    ++at_;
    kind_ = std::string_view("{}<>[]:;,-/").find(c) != std::string_view::npos ? Kind::kPunctuation
                                                                              : Kind::kBad;
  }
  token_ = text_.substr(start_, at_ - start_);
}

bool TextTokens::ReadString(char quote) {
  value_.clear();
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == quote) {
      ++at_;
      return true;
    }
    if (c == '\n') return false;
    if (c != '\\') {
      value_ += c;
    } else if (!ReadEscape()) {
      return false;
    }
  }
  return false;
}

// Stands on the backslash and leaves at_ on the last character of the escape.
bool TextTokens::ReadEscape() {
  if (++at_ >= text_.size()) return false;
  const char c = text_[at_];
  constexpr std::string_view kLetters = "abfnrtv\\'\"?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"?";
  if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
    value_ += kValues[i];
    return true;
  }
  const auto digits = [&](int base, int most) {
    uint32_t code = 0;
    for (int n = 0; n < most && at_ < text_.size(); ++n, ++at_) {
      const int digit = HexValue(text_[at_]);
      if (digit < 0 || digit >= base) break;
      code = code * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
    }
    --at_;
    return code;
  };
  if (c >= '0' && c <= '7') {
    value_ += static_cast<char>(digits(8, 3));
    return true;
  }
  if (c != 'x' && c != 'X' && c != 'u' && c != 'U') return false;
  ++at_;
  if (at_ >= text_.size() || HexValue(text_[at_]) < 0) return false;
  if (c == 'x' || c == 'X') {
    value_ += static_cast<char>(digits(16, 2));
  } else {
    AppendUtf8(digits(16, c == 'u' ? 4 : 8), value_);
  }
  return true;
}

}  // namespace stepscope
