#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Lines of a terminal, with history and completion, or of a pipe. One at a time in a program.
class Prompt {
 public:
  // What may stand for the last word of the text before the cursor.
  using Complete = std::function<std::vector<std::string>(std::string_view text)>;

  // `history` names the file that lines are kept in from one time to the next. Words end at a
  // character of `breaks`.
  Prompt(std::string_view history, const char* breaks, Complete complete);
  ~Prompt();
  Prompt(const Prompt&) = delete;
  Prompt& operator=(const Prompt&) = delete;

  bool is_terminal() const { return terminal_; }
  // Nothing at the end of the input. Empty and cancelled() where Ctrl-C dropped what was typed.
  std::optional<std::string> Next(const std::string& prompt);
  bool cancelled() const { return cancelled_; }

 private:
  const bool terminal_;
  std::filesystem::path history_;
  std::string last_;
  bool cancelled_ = false;
};

}  // namespace stepscope
