#include "advise/settings.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <ranges>
#include <string>
#include <vector>

#include "advise/rule.h"
#include "base/nearest.h"
#include "io/byte_source.h"
#include "words/settings.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSettingsTexts> Say;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The line without a comment; a '#' inside quotes is text.
std::string_view WithoutComment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

// "an id such as X", or which command lists them where nothing is near.
template <typename Names>
Message SuchAs(Message what, std::string_view typed, const Names& names, std::string_view command) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = Nearest(typed, known);
  return nearest.empty() ? Say("settings.listed", std::move(what), command)
                         : Say("settings.near", std::move(what), nearest);
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<Settings> Run() {
    for (size_t at = 0; at <= text_.size();) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      ++line_;
      const Result<void> line = TakeLine(Trim(WithoutComment(text_.substr(at, end - at))));
      if (!line) return std::unexpected(line.error());
      at = end + 1;
    }
    return settings_;
  }

 private:
  std::unexpected<Error> Wrong(Message what, Message expected) const {
    return Fail(ErrorCode::kUsage,
                Say("settings.line", line_, std::move(what), std::move(expected)), file_,
                Say("settings.shows"));
  }

  Result<void> TakeLine(std::string_view line) {
    if (line.empty()) return {};
    if (line.front() == '[') {
      if (line.back() != ']') return Wrong(Say("settings.not-closed"), Say("settings.either"));
      section_ = Trim(line.substr(1, line.size() - 2));
      if (section_ != "thresholds" && section_ != "ignore") {
        return Wrong(Say("settings.no-table", section_), Say("settings.either"));
      }
      return {};
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      return Wrong(Say("settings.no-equals"), Verbatim("NAME = VALUE"));
    std::string_view name = Trim(line.substr(0, equals));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    const std::string_view value = Trim(line.substr(equals + 1));
    if (section_ == "thresholds") return TakeThreshold(name, value);
    if (section_ == "ignore") return TakeIgnored(name, value);
    return Wrong(Say("settings.before"), Say("settings.first"));
  }

  Result<void> TakeThreshold(std::string_view name, std::string_view value) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(number)) {
      return Wrong(Say("settings.no-number", value), Say("settings.a-number"));
    }
    if (!settings_.limits.Set(name, number)) {
      return Wrong(
          Say("settings.no-threshold", name),
          SuchAs(Say("settings.name"), name, LimitTable() | std::views::transform(&LimitRow::name),
                 "stepscope explain --thresholds"));
    }
    return {};
  }

  Result<void> TakeIgnored(std::string_view name, std::string_view value) {
    if (FindRule(name) == nullptr) {
      return Wrong(Say("settings.no-rule", name),
                   SuchAs(Say("settings.id"), name, AllRules() | std::views::transform(&Rule::id),
                          "stepscope explain"));
    }
    if (value.size() < 2 || value.front() != '"' || value.back() != '"' ||
        Trim(value.substr(1, value.size() - 2)).empty()) {
      return Wrong(Say("settings.no-reason", name), Say("settings.reason"));
    }
    settings_.ignored[std::string(name)] = std::string(value.substr(1, value.size() - 2));
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  std::string section_;
  int line_ = 0;
  Settings settings_;
};

}  // namespace

Result<Settings> ParseSettings(std::string_view text, const std::string& file) {
  return Parser(text, file).Run();
}

Result<Settings> LoadSettings(const std::string& asked) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 24;
  const std::string file = asked.empty() ? "stepscope.toml" : asked;
  std::error_code none;
  if (asked.empty() && !std::filesystem::is_regular_file(file, none)) return Settings{};
  const Result<FileBytes> bytes = ReadWhole(file, kMostBytes);
  if (!bytes) return std::unexpected(bytes.error());
  return ParseSettings({bytes->bytes().data(), bytes->bytes().size()}, file);
}

}  // namespace stepscope
