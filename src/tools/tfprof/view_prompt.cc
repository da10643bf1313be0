#include "tools/tfprof/view_prompt.h"

#include <editline/readline.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/errors.h"
#include "tools/tfprof/text.h"
#include "tools/tfprof/view_command.h"
#include "tools/tfprof/view_completion.h"

namespace stepscope {
namespace {

constexpr std::string_view kPrompt = "stepscope view> ";
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

// What fits the word at the cursor, as libedit wants it: first what all have in common, then each,
// then null; null alone for nothing.
char** Completions(const char* word, int start, int end) {
  (void)word;
  (void)start;
  rl_attempted_completion_over = 1;  // files are no answer here
  const std::vector<std::string> found =
      ViewCompletions(std::string_view(rl_line_buffer, static_cast<size_t>(end)));
  if (found.empty()) return nullptr;
  std::string_view common = found.front();
  for (const std::string& each : found) {
    const auto differs = std::mismatch(common.begin(), common.end(), each.begin(), each.end());
    common = common.substr(0, static_cast<size_t>(differs.first - common.begin()));
  }
  auto** matches = static_cast<char**>(std::calloc(found.size() + 2, sizeof(char*)));
  if (matches == nullptr) return nullptr;
  matches[0] = Copy(common);
  for (size_t i = 0; i < found.size(); ++i) matches[i + 1] = Copy(found[i]);
  return matches;
}

// Where lines are kept from one time to the next; empty where there is no home.
std::filesystem::path HistoryFile() {
  namespace fs = std::filesystem;
  fs::path state;
  if (const char* given = std::getenv("XDG_STATE_HOME"); given != nullptr && given[0] == '/') {
    state = given;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    state = fs::path(home) / ".local" / "state";
  } else {
    return {};
  }
  std::error_code error;
  fs::create_directories(state / "stepscope", error);
  return error ? fs::path() : state / "stepscope" / "view_history";
}

// Lines of a terminal, with history and completion, or of a pipe.
class Lines {
 public:
  Lines() : terminal_(isatty(STDIN_FILENO) != 0) {
    if (!terminal_) return;
    rl_readline_name = "stepscope";
    rl_initialize();
    rl_attempted_completion_function = Completions;
    rl_basic_word_break_characters = " \t";
    using_history();
    stifle_history(kKeptLines);
    history_ = HistoryFile();
    if (!history_.empty()) read_history(history_.c_str());
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  // A history that cannot be kept is no reason to complain.
  ~Lines() {
    if (!history_.empty()) write_history(history_.c_str());
  }

  std::optional<std::string> Next() {
    if (!terminal_) {
      std::string line;
      return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
    }
    const std::unique_ptr<char, decltype(&std::free)> line(readline(kPrompt.data()), std::free);
    if (!line) {
      fmt::print("\n");
      return std::nullopt;
    }
    // The same line twice in a row is one line of history.
    if (line.get()[0] != '\0' && line.get() != last_) add_history(line.get());
    last_ = line.get();
    return last_;
  }

 private:
  static constexpr int kKeptLines = 1000;
  const bool terminal_;
  std::filesystem::path history_;
  std::string last_;
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
  Lines lines;
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
