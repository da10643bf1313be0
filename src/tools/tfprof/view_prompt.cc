#include "tools/tfprof/view_prompt.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "command/errors.h"
#include "command/prompt.h"
#include "tools/tfprof/text.h"
#include "tools/tfprof/view_command.h"
#include "tools/tfprof/view_completion.h"

namespace stepscope {
namespace {

const std::string kPrompt = "stepscope view> ";
constexpr std::string_view kHelp =
    "scope | graph | op | code [-OPTION VALUE ...]   show a view\n"
    "advise                                          tfprof's checkers\n"
    "set -OPTION VALUE ...                           keep options for what follows\n"
    "(an empty line)                                 the options as they are\n"
    "help, quit\n";

std::string FirstWord(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  line.remove_prefix(first);
  return std::string(line.substr(0, line.find_first_of(" \t")));
}

// Runs one line; returns its exit code.
int RunLine(std::string_view line, ViewRequest& stored, LoadedModel& loaded) {
  const std::string word = FirstWord(line);
  if (word.empty()) {
    fmt::print("{}", tfprof::OptionsFrame(stored.options));
    return kExitFine;
  }
  if (word == "help") {
    fmt::print("{}", kHelp);
    return kExitFine;
  }
  const bool sets = word == "set";
  if (!sets && !IsViewCommand(word)) {
    return PrintError(
        "view",
        Error{ErrorCode::kUsage, "First string must be a valid command.", {}, {}, "type help"});
  }
  if (sets) line.remove_prefix(line.find("set") + 3);
  Result<ViewRequest> request = ParseViewLine(line, stored);
  if (!request) return PrintError("view", request.error());
  if (!sets) return ShowView(*request, loaded);
  stored = std::move(*request);
  return kExitFine;
}

}  // namespace

int RunViewPrompt(const ViewRequest& request, LoadedModel& loaded) {
  ViewRequest stored = request;
  Prompt lines("view_history", " \t", [](std::string_view text) { return ViewCompletions(text); });
  int status = kExitFine;
  while (const std::optional<std::string> line = lines.Next(kPrompt)) {
    if (lines.cancelled()) continue;
    const std::string word = FirstWord(*line);
    if (word == "quit" || word == "exit") break;
    if (const int code = RunLine(*line, stored, loaded); code != kExitFine) status = code;
    std::fflush(stdout);
  }
  return status;
}

}  // namespace stepscope
