#include "command/prompt.h"

#include <editline/readline.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <utility>

namespace stepscope {
namespace {

constexpr int kKeptLines = 1000;

// libedit calls back without a context.
Prompt::Complete& Completer() {
  static Prompt::Complete complete;
  return complete;
}

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
      Completer()(std::string_view(rl_line_buffer, static_cast<size_t>(end)));
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
std::filesystem::path HistoryFile(std::string_view name) {
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
  return error ? fs::path() : state / "stepscope" / name;
}

}  // namespace

Prompt::Prompt(std::string_view history, const char* breaks, Complete complete)
    : terminal_(isatty(STDIN_FILENO) != 0) {
  if (!terminal_) return;
  Completer() = std::move(complete);
  rl_readline_name = "stepscope";
  rl_initialize();
  rl_attempted_completion_function = Completions;
  rl_basic_word_break_characters = breaks;
  using_history();
  stifle_history(kKeptLines);
  history_ = HistoryFile(history);
  if (!history_.empty()) read_history(history_.c_str());
}

// A history that cannot be kept is no reason to complain.
Prompt::~Prompt() {
  if (!history_.empty()) write_history(history_.c_str());
}

std::optional<std::string> Prompt::Next(const std::string& prompt) {
  if (!terminal_) {
    std::string line;
    return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
  }
  const std::unique_ptr<char, decltype(&std::free)> line(readline(prompt.c_str()), std::free);
  if (!line) {
    fmt::print("\n");
    return std::nullopt;
  }
  // The same line twice in a row is one line of history.
  if (line.get()[0] != '\0' && line.get() != last_) add_history(line.get());
  last_ = line.get();
  return last_;
}

}  // namespace stepscope
