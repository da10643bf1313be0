#pragma once

#include <signal.h>

#include <stop_token>
#include <thread>

namespace stepscope {

// While it lives, the first Ctrl-C (or SIGTERM, SIGHUP) asks to stop; the second ends the process
// with exit code 130. Make it before any other thread: those must not see the signals.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool stopped() const { return source_.stop_requested(); }

 private:
  void Wait(const std::stop_token& end);

  sigset_t signals_, before_;
  std::stop_source source_;
  std::jthread waiter_;
};

}  // namespace stepscope
