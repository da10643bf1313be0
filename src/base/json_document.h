#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope {

// A small JSON document as a tree: recorded machines, settings, answers in tests. Profiles are read
// by read/chrome_json, which streams. Asking a value for what it is not gives a null, 0 or "".
class JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool AsBool() const { return kind_ == Kind::kBool && number_ != 0; }
  double AsDouble() const { return kind_ == Kind::kNumber ? number_ : 0; }
  int64_t AsInt() const;                             // exact up to 2^53, else the nearest
  const std::string& text() const { return text_; }  // a string's text, a number's digits
  const std::vector<JsonValue>& items() const { return items_; }
  const std::vector<std::pair<std::string, JsonValue>>& members() const { return members_; }
  // A member or an item; a null where there is none.
  const JsonValue& operator[](std::string_view key) const;
  const JsonValue& operator[](size_t index) const;

 private:
  friend class JsonParser;
  Kind kind_ = Kind::kNull;
  double number_ = 0;
  std::string text_;
  std::vector<JsonValue> items_;
  std::vector<std::pair<std::string, JsonValue>> members_;
};

// An Error carries the byte offset. Nesting past 200 levels is an error.
Result<JsonValue> ParseJson(std::string_view text);

}  // namespace stepscope
