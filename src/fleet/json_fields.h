#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_document.h"

namespace stepscope::fleet {

// A whole number by its digits: times since 1970 in ns do not fit a double. None where there is no
// such member or it is something else.
inline std::optional<int64_t> IntegerIn(const JsonValue& object, std::string_view key) {
  const JsonValue& value = object[key];
  if (value.kind() != JsonValue::Kind::kNumber) return std::nullopt;
  int64_t number = 0;
  const char* const end = value.text().data() + value.text().size();
  const auto [rest, error] = std::from_chars(value.text().data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

inline std::optional<std::string> TextIn(const JsonValue& object, std::string_view key) {
  const JsonValue& value = object[key];
  if (value.kind() != JsonValue::Kind::kString || value.text().empty()) return std::nullopt;
  return value.text();
}

}  // namespace stepscope::fleet
