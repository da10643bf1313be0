#include "cli/view_prompt.h"

#include <editline/readline.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "cli/errors.h"
#include "cli/view_command.h"
#include "present/tfprof/text.h"

namespace stepscope {
namespace {

constexpr std::string_view kPrompt = "stepscope view> ";
constexpr std::array<std::string_view, 8> kCommands{"scope",  "graph", "op",   "code",
                                                    "advise", "set",   "help", "quit"};

constexpr std::string_view kHelp =
    "scope | graph | op | code [-OPTION VALUE ...]   show a view\n"
    "advise                                          tfprof's checkers\n"
    "set -OPTION VALUE ...                           keep options for what follows\n"
    "(an empty line)                                 the options as they are\n"
    "help, quit\n";

char* Copy(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

// The next word that begins like the text; libedit calls it with 0 first, then until it gives null.
char* NextCompletion(const char* text, int state) {
  static size_t next;
  if (state == 0) next = 0;
  const std::string_view begun(text);
  const auto options = tfprof::OptionNames();
  for (; next < kCommands.size() + options.size(); ++next) {
    const bool option = next >= kCommands.size();
    const std::string word =
        option ? "-" + std::string(options[next - kCommands.size()]) : std::string(kCommands[next]);
    if (!word.starts_with(begun)) continue;
    ++next;
    return Copy(word);
  }
  return nullptr;
}

// Lines of a terminal, with history and completion, or of a pipe.
class Lines {
 public:
  Lines() : terminal_(isatty(STDIN_FILENO) != 0) {
    if (!terminal_) return;
    rl_initialize();
    rl_completion_entry_function = NextCompletion;
    using_history();
  }

  std::optional<std::string> Next() const {
    if (!terminal_) {
      std::string line;
      return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
    }
    const std::unique_ptr<char, decltype(&std::free)> line(readline(kPrompt.data()), std::free);
    if (!line) return std::nullopt;
    if (line.get()[0] != '\0') add_history(line.get());
    return std::string(line.get());
  }

 private:
  const bool terminal_;
};

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
  const Lines lines;
  int status = kExitFine;
  while (const std::optional<std::string> line = lines.Next()) {
    const std::string word = FirstWord(*line);
    if (word == "quit" || word == "exit") break;
    if (const int code = RunLine(*line, stored, loaded); code != kExitFine) status = code;
    std::fflush(stdout);
  }
  return status;
}

}  // namespace stepscope
