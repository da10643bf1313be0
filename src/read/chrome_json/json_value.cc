#include "read/chrome_json/json_value.h"

#include <cstdint>

#include "read/chrome_json/text.h"

namespace stepscope::chrome_json {
namespace {

bool IsSpace(char c) { return static_cast<uint8_t>(c) <= ' '; }

// Bytes of the string at the start of `text`, quotation marks included; npos when it has no end.
size_t StringLength(std::string_view text) {
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

size_t ValueLength(std::string_view text) {
  if (text.empty()) return std::string_view::npos;
  if (text[0] == '"') return StringLength(text);
  if (text[0] != '{' && text[0] != '[') {
    const size_t length = text.find_first_of(",]}: \t\r\n\"{[");
    return length == 0 ? std::string_view::npos : std::min(length, text.size());
  }
  int64_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const size_t length = StringLength(text.substr(at));
      if (length == std::string_view::npos) return length;
      at += length - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

JsonWalk::JsonWalk(std::string_view container) : rest_(container) {
  SkipSpace();
  if (rest_.empty() || (rest_[0] != '{' && rest_[0] != '[')) {
    rest_ = {};
    return;
  }
  object_ = rest_[0] == '{';
  rest_.remove_prefix(1);
}

void JsonWalk::SkipSpace() {
  while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
}

bool JsonWalk::Stop() {
  rest_ = {};
  return false;
}

bool JsonWalk::Next() {
  SkipSpace();
  while (!rest_.empty() && rest_[0] == ',') {
    rest_.remove_prefix(1);
    SkipSpace();
  }
  if (rest_.empty() || rest_[0] == '}' || rest_[0] == ']') return Stop();
  key_ = Text{};
  if (object_) {
    if (rest_[0] != '"') return Stop();
    const size_t length = StringLength(rest_);
    if (length == std::string_view::npos) return Stop();
    const std::string_view inside = rest_.substr(1, length - 2);
    key_ = {inside.data(), static_cast<uint32_t>(inside.size()),
            inside.find('\\') != std::string_view::npos};
    rest_.remove_prefix(length);
    SkipSpace();
    if (rest_.empty() || rest_[0] != ':') return Stop();
    rest_.remove_prefix(1);
    SkipSpace();
  }
  const size_t length = ValueLength(rest_);
  if (length == std::string_view::npos) return Stop();
  value_ = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return true;
}

std::string_view JsonWalk::scalar() const {
  if (value_.empty() || value_[0] == '{' || value_[0] == '[') return {};
  return value_[0] == '"' ? value_.substr(1, value_.size() - 2) : value_;
}

std::string JsonWalk::String() const {
  std::string unescaped;
  AppendUnescaped(scalar(), unescaped);
  if (IsValidUtf8(unescaped)) return unescaped;
  std::string repaired;
  AppendRepairedUtf8(unescaped, repaired);
  return repaired;
}

}  // namespace stepscope::chrome_json
