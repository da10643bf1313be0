#include "command/step_range.h"

#include <charconv>

#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

}  // namespace

Messages ParseStepRange(std::string_view text, std::optional<int64_t>& first,
                        std::optional<int64_t>& last) {
  const auto number = [](std::string_view digits, std::optional<int64_t>& to) {
    if (digits.empty()) return true;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    to = value;
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const size_t dash = text.find('-');
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = dash == std::string_view::npos ? before : text.substr(dash + 1);
  const bool fine = text.size() > 1 || dash == std::string_view::npos;
  if (text.empty() || !fine || !number(before, first) || !number(after, last)) {
    return Say("command.step-numbers");
  }
  if (first && last && *first > *last) return Say("command.smaller-first");
  return {};
}

}  // namespace stepscope
