#include "diff/source_line.h"

#include <charconv>

namespace stepscope::diff {
namespace {

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || number < 1) return std::nullopt;
  return number;
}

}  // namespace

std::optional<SourceLine> SourceLineOf(std::string_view frame) {
  if (const size_t open = frame.find('('); open != std::string_view::npos && open > 0) {
    if (const auto line = NumberIn(frame.substr(open + 1))) {
      return SourceLine{std::string(frame.substr(0, open)), *line};
    }
  }
  if (const size_t colon = frame.rfind(':'); colon != std::string_view::npos && colon > 0) {
    if (const auto line = NumberIn(frame.substr(colon + 1))) {
      return SourceLine{std::string(frame.substr(0, colon)), *line};
    }
  }
  return std::nullopt;
}

}  // namespace stepscope::diff
