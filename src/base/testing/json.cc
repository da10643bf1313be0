#include "base/testing/json.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stepscope {
namespace {

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json Document() {
    Json value = Value();
    SkipSpace();
    if (at_ != text_.size()) Fail("text after the document");
    return value;
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw std::runtime_error("JSON, byte " + std::to_string(at_) + ": " + why);
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  char Peek() {
    SkipSpace();
    if (at_ == text_.size()) Fail("the text ends early");
    return text_[at_];
  }
  void Expect(char c) {
    if (Peek() != c) Fail(std::string("expected ") + c);
    ++at_;
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  Json Value() {
    const char c = Peek();
    if (c == '{') return Object();
    if (c == '[') return Array();
    Json value;
    if (c == '"') {
      value.type_ = Json::Type::kString;
      value.text_ = String();
      return value;
    }
    const size_t from = at_;
    while (at_ < text_.size() && !std::string_view(",]} \t\r\n").contains(text_[at_])) ++at_;
    value.text_ = text_.substr(from, at_ - from);
    if (value.text_ == "null") {
      value.type_ = Json::Type::kNull;
    } else if (value.text_ == "true" || value.text_ == "false") {
      value.type_ = Json::Type::kBool;
    } else {
      value.type_ = Json::Type::kNumber;
    }
    return value;
  }

  Json Object() {
    Json value;
    value.type_ = Json::Type::kObject;
    Expect('{');
    if (Take('}')) return value;
    do {
      Peek();
      std::string key = String();
      Expect(':');
      value.members_[std::move(key)] = Value();
    } while (Take(','));
    Expect('}');
    return value;
  }

  Json Array() {
    Json value;
    value.type_ = Json::Type::kArray;
    Expect('[');
    if (Take(']')) return value;
    do value.items_.push_back(Value());
    while (Take(','));
    Expect(']');
    return value;
  }

  uint32_t Hex4() {
    uint32_t code = 0;
    if (at_ + 4 > text_.size()) Fail("the text ends early");
    std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    at_ += 4;
    return code;
  }

  std::string String() {
    Expect('"');
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      const char escape = at_ < text_.size() ? text_[at_++] : '\0';
      static constexpr std::string_view kEscapes = "\"\\/bfnrt";
      static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
      if (const size_t i = kEscapes.find(escape); i != std::string_view::npos) {
        out += kMeanings[i];
      } else if (escape == 'u') {
        uint32_t code = Hex4();
        if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
          at_ += 2;
          code = 0x10000 + ((code - 0xD800) << 10) + (Hex4() - 0xDC00);
        }
        AppendUtf8(out, code);
      } else {
        Fail("unknown escape");
      }
    }
    if (at_ == text_.size()) Fail("the text ends early");
    ++at_;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Json Json::Parse(std::string_view text) { return JsonParser(text).Document(); }

Json Json::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::stringstream text;
  text << file.rdbuf();
  return Parse(text.str());
}

bool Json::has(std::string_view key) const { return members_.contains(key); }

const Json& Json::operator[](std::string_view key) const {
  const auto at = members_.find(key);
  if (at == members_.end()) throw std::runtime_error("no key " + std::string(key));
  return at->second;
}

const Json& Json::operator[](size_t index) const { return items_.at(index); }

size_t Json::size() const { return type_ == Type::kObject ? members_.size() : items_.size(); }

const std::map<std::string, Json, std::less<>>& Json::members() const { return members_; }

const std::vector<Json>& Json::items() const { return items_; }

bool Json::boolean() const {
  if (type_ != Type::kBool) throw std::runtime_error("not a bool: " + text_);
  return text_ == "true";
}

int64_t Json::integer() const {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (type_ != Type::kNumber || error != std::errc() || end != text_.data() + text_.size()) {
    throw std::runtime_error("not an integer: " + text_);
  }
  return value;
}

double Json::number() const {
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (type_ != Type::kNumber || error != std::errc() || end != text_.data() + text_.size()) {
    throw std::runtime_error("not a number: " + text_);
  }
  return value;
}

const std::string& Json::text() const {
  if (type_ != Type::kString) throw std::runtime_error("not a string: " + text_);
  return text_;
}

}  // namespace stepscope
