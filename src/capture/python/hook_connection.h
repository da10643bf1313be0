#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

// The line to the hook inside a Python program (src/record/hook/_stepscope_ask.py): it takes a
// request and answers in lines of JSON.
class HookConnection {
 public:
  // None: nobody listens there. `own_pid` is the process's number in its own namespace.
  static std::optional<HookConnection> Open(int own_pid);
  ~HookConnection();
  HookConnection(HookConnection&& other) noexcept;
  HookConnection& operator=(HookConnection&&) = delete;

  bool Send(std::string_view text) const;
  // The next line within this time; none where it has not come. ended() says that none will.
  std::optional<std::string> Line(std::chrono::milliseconds within);
  bool ended() const { return ended_; }

 private:
  explicit HookConnection(int fd) : fd_(fd) {}
  int fd_;
  bool ended_ = false;
  std::string rest_;
};

// The number that the process has for itself; `pid` where it is the same.
int OwnPid(int pid);

// Brings the hook into a running CPython 3.14 or later, by its own interpreter's sys.remote_exec.
// An Error says why it cannot be.
Result<void> BringHookInto(int pid);

}  // namespace stepscope
