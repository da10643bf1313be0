#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope {

// A limit on the size of files makes writes fail from here on instead of ending the recorder. The
// child gets the handling that was there before.
void IgnoreFileSizeLimit();

// A program started with our own standard streams: every byte it reads and writes is its own
// business. Signals that end programs are passed on to it, so that it ends first and we can tell
// the story; Ctrl-C in a terminal reaches it without us.
class Child {
 public:
  // `variables` replace those of our environment. With `output` the program writes there, and reads
  // nothing. ErrorCode::kCannotRead when the program cannot be
  // started: exit_code then holds what a shell would return (127 not found, 126 not executable).
  static Result<Child> Start(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& variables,
                             const std::string& output, int& exit_code);

  pid_t pid() const { return pid_; }
  // Waits at most this long. True once the program has ended.
  bool WaitFor(int milliseconds);
  void Send(int signal) const;

  int exit_code() const { return exit_code_; }
  int signal() const { return signal_; }  // 0: it returned
  // As a shell tells it: 128 + N after signal N.
  int shell_code() const { return signal_ == 0 ? exit_code_ : 128 + signal_; }

 private:
  pid_t pid_ = -1;
  int pidfd_ = -1;
  bool ended_ = false;
  int exit_code_ = 0, signal_ = 0;
};

}  // namespace stepscope
