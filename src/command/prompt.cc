#include "command/prompt.h"

#include <editline/readline.h>
#include <fmt/core.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
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

// Ctrl-C was typed in the line that is being read.
bool& Cancelled() {
  static bool cancelled = false;
  return cancelled;
}

constexpr int kControlC = 3;
int CancelLine(int, int) {
  Cancelled() = true;
  rl_done = 1;
  return 0;
}

// While it lives, Ctrl-C is a character of the line instead of a signal to the program. libedit
// takes the characters of the terminal over when it starts, so one has to live then, too.
class ControlCTyped {
 public:
  ControlCTyped() : is_set_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_set_) return;
    termios typed = before_;
    typed.c_cc[VINTR] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &typed);
  }
  ~ControlCTyped() {
    if (is_set_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  ControlCTyped(const ControlCTyped&) = delete;
  ControlCTyped& operator=(const ControlCTyped&) = delete;

 private:
  termios before_{};
  bool is_set_;
};

// libedit reads characters as the locale says; without one it drops all but ASCII.
void ReadUtf8() {
  const char* set = std::setlocale(LC_CTYPE, "");
  const bool plain = set == nullptr || std::strcmp(set, "C") == 0 || std::strcmp(set, "POSIX") == 0;
  if (plain) std::setlocale(LC_CTYPE, "C.UTF-8");
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
  ReadUtf8();
  const ControlCTyped typed;
  rl_readline_name = "stepscope";
  rl_initialize();
  rl_add_defun("cancel-line", CancelLine, kControlC);
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
  Cancelled() = false;
  rl_done = 0;
  const std::unique_ptr<char, decltype(&std::free)> line = [&] {
    const ControlCTyped typed;
    return std::unique_ptr<char, decltype(&std::free)>(readline(prompt.c_str()), std::free);
  }();
  cancelled_ = Cancelled();
  if (cancelled_) {
    fmt::print("^C\n");
    return std::string();
  }
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
