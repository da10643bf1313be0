#include "tools/tfprof/view_completion.h"

#include <algorithm>
#include <array>
#include <span>

#include "tools/tfprof/advise.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/view_options.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 8> kCommands{"scope",  "graph", "op",   "code",
                                                    "advise", "set",   "help", "quit"};
constexpr std::array<std::string_view, 5> kOutputs{
    "stdout", "file:outfile=", "timeline:outfile=", "pprof:outfile=", "none"};
constexpr std::array<std::string_view, 2> kBools{"true", "false"};
constexpr std::array<std::string_view, 3> kColors{"auto", "always", "never"};

// "-order_by" and "--order-by" are order_by.
std::string OptionName(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string name(word);
  std::ranges::replace(name, '-', '_');
  return name;
}

struct Values {
  std::span<const std::string_view> words;
  bool list = false;  // separated by commas
};
Values ValuesOf(std::string_view option) {
  if (option == "order_by") return {tfprof::kOrderNames};
  if (option == "select") return {tfprof::kColumnNames, true};
  if (option == "output") return {kOutputs};
  if (option == "checkers") return {tfprof::kCheckers, true};
  if (option == "preset") return {tfprof::kPresetNames};
  if (option == "color") return {kColors};
  if (option == "account_displayed_op_only") return {kBools};
  return {};
}

std::vector<std::string> Complete(std::string_view before, std::string_view word,
                                  const Values& values) {
  std::string kept(before);
  if (const size_t comma = word.rfind(','); values.list && comma != std::string_view::npos) {
    kept += word.substr(0, comma + 1);
    word.remove_prefix(comma + 1);
  }
  std::vector<std::string> found;
  for (const std::string_view value : values.words) {
    if (value.starts_with(word)) found.push_back(kept + std::string(value));
  }
  return found;
}

std::vector<std::string> CompleteOption(std::string_view word) {
  const size_t dashes = word.starts_with("--") ? 2 : 1;
  const std::string begun = OptionName(word);
  std::vector<std::string> found;
  for (const std::string_view name : ViewOptionNames()) {
    if (name.starts_with(begun)) found.push_back(std::string(dashes, '-') + std::string(name));
  }
  return found;
}

}  // namespace

std::vector<std::string> ViewCompletions(std::string_view line) {
  const size_t blank = line.find_last_of(" \t");
  const std::string_view word = blank == std::string_view::npos ? line : line.substr(blank + 1);
  std::string_view rest = line.substr(0, line.size() - word.size());
  const size_t end = rest.find_last_not_of(" \t");
  if (end == std::string_view::npos) return Complete("", word, {kCommands});
  if (word.starts_with('-')) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) return CompleteOption(word);
    return Complete(word.substr(0, equals + 1), word.substr(equals + 1),
                    ValuesOf(OptionName(word.substr(0, equals))));
  }
  rest = rest.substr(0, end + 1);
  const std::string_view previous = rest.substr(rest.find_last_of(" \t") + 1);
  if (!previous.starts_with('-')) return {};
  return Complete("", word, ValuesOf(OptionName(previous)));
}

}  // namespace stepscope
