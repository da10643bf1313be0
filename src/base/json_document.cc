#include "base/json_document.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/texts.h"

namespace stepscope {
namespace {

constexpr SayFrom<kBaseTexts> Say;

const JsonValue kNullValue;

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint8_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out.push_back(static_cast<char>(kLead[tail] | (code >> (6 * tail))));
  for (int i = tail - 1; i >= 0; --i) {
    out.push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
}

}  // namespace

int64_t JsonValue::AsInt() const {
  int64_t whole = 0;
  const char* end = text_.data() + text_.size();
  if (kind_ == Kind::kNumber && std::from_chars(text_.data(), end, whole).ptr == end) return whole;
  const double number = AsDouble();
  return std::fabs(number) < 9e18 ? static_cast<int64_t>(number) : 0;
}

const JsonValue& JsonValue::operator[](std::string_view key) const {
  for (const auto& [name, value] : members_) {
    if (name == key) return value;
  }
  return kNullValue;
}

const JsonValue& JsonValue::operator[](size_t index) const {
  return index < items_.size() ? items_[index] : kNullValue;
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Result<JsonValue> Document() {
    JsonValue value;
    if (!Parse(value, 0)) return Wrong();
    Blanks();
    if (at_ != text_.size()) return Wrong();
    return value;
  }

 private:
  static constexpr int kMostDepth = 200;

  std::unexpected<Error> Wrong() const {
    return std::unexpected(Error{ErrorCode::kDamaged, Say("base.not-json"), {}, at_, {}});
  }
  void Blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool Parse(JsonValue& value, int depth) {
    using Kind = JsonValue::Kind;
    Blanks();
    if (at_ == text_.size() || depth > kMostDepth) return false;
    switch (text_[at_]) {
      case '{':
        return Object(value, depth);
      case '[':
        return Array(value, depth);
      case '"':
        value.kind_ = Kind::kString;
        return String(value.text_);
      case 't':
        value.kind_ = Kind::kBool;
        value.number_ = 1;
        return Take("true");
      case 'f':
        value.kind_ = Kind::kBool;
        return Take("false");
      case 'n':
        return Take("null");
      default:
        return Number(value);
    }
  }
  bool Object(JsonValue& value, int depth) {
    value.kind_ = JsonValue::Kind::kObject;
    ++at_;
    Blanks();
    if (Take("}")) return true;
    do {
      Blanks();
      auto& [key, member] = value.members_.emplace_back();
      if (at_ == text_.size() || text_[at_] != '"' || !String(key)) return false;
      Blanks();
      if (!Take(":") || !Parse(member, depth + 1)) return false;
      Blanks();
    } while (Take(","));
    return Take("}");
  }
  bool Array(JsonValue& value, int depth) {
    value.kind_ = JsonValue::Kind::kArray;
    ++at_;
    Blanks();
    if (Take("]")) return true;
    do {
      if (!Parse(value.items_.emplace_back(), depth + 1)) return false;
      Blanks();
    } while (Take(","));
    return Take("]");
  }
  bool Number(JsonValue& value) {
    value.kind_ = JsonValue::Kind::kNumber;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value.number_);
    if (error == std::errc::result_out_of_range) {
      value.number_ = std::numeric_limits<double>::infinity();
    } else if (error != std::errc() || std::isalpha(static_cast<unsigned char>(end[-1])) != 0) {
      return false;
    }
    value.text_.assign(begin, end);
    at_ += static_cast<size_t>(end - begin);
    return true;
  }
  bool Hex4(uint32_t& code) {
    if (text_.size() - at_ < 4) return false;
    const char* begin = text_.data() + at_;
    at_ += 4;
    return std::from_chars(begin, begin + 4, code, 16).ptr == begin + 4;
  }
  bool Escape(std::string& out) {
    if (at_ == text_.size()) return false;
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char letter = text_[at_++];
    if (const size_t i = kFrom.find(letter); i != std::string_view::npos) {
      out.push_back(kTo[i]);
      return true;
    }
    uint32_t code = 0;
    if (letter != 'u' || !Hex4(code)) return false;
    uint32_t low = 0;
    if (code >= 0xd800 && code < 0xdc00 && Take("\\u")) {
      if (!Hex4(low)) return false;
      const bool pair = low >= 0xdc00 && low < 0xe000;
      code = pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    AppendUtf8(code, out);
    return true;
  }
  bool String(std::string& out) {
    for (++at_; at_ < text_.size();) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        out.push_back(c);
      } else if (!Escape(out)) {
        return false;
      }
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Result<JsonValue> ParseJson(std::string_view text) { return JsonParser(text).Document(); }

}  // namespace stepscope
