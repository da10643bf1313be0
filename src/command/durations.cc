#include "command/durations.h"

#include <charconv>

namespace stepscope {

std::optional<double> SecondsOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (error != std::errc() || number < 0) return std::nullopt;
  if (unit.empty() || unit == "s") return number;
  if (unit == "ms") return number / 1000;
  if (unit == "m" || unit == "min") return number * 60;
  if (unit == "h") return number * 3600;
  return std::nullopt;
}

}  // namespace stepscope
