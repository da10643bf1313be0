#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.h"

namespace stepscope {

// A JSON document as a tree, for tests that read other tools' answers. Small and obvious, not fast.
// Bad text, a missing key or a value of another type throws std::runtime_error.
class Json {
 public:
  static Json Parse(std::string_view text);
  static Json Read(const std::string& path);

  using Type = JsonValue::Kind;
  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }

  bool has(std::string_view key) const;
  const Json& operator[](std::string_view key) const;
  const Json& operator[](size_t index) const;
  size_t size() const;
  const std::map<std::string, Json, std::less<>>& members() const;
  const std::vector<Json>& items() const;

  bool boolean() const;
  int64_t integer() const;  // throws when the number has a fraction
  double number() const;
  const std::string& text() const;

 private:
  explicit Json(const JsonValue& value);

  Type type_ = Type::kNull;
  std::string text_;  // of strings and, as spelt, of numbers; "true" or "false"
  std::vector<Json> items_;
  std::map<std::string, Json, std::less<>> members_;
};

}  // namespace stepscope
