#include "cli/stop_on_signal.h"

#include <pthread.h>
#include <unistd.h>

#include "command/errors.h"

namespace stepscope {

StopOnSignal::StopOnSignal() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::jthread([this](const std::stop_token& end) { Wait(end); });
}

StopOnSignal::~StopOnSignal() {
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopOnSignal::Wait(const std::stop_token& end) {
  constexpr timespec kTick{.tv_sec = 0, .tv_nsec = 50'000'000};
  while (!end.stop_requested()) {
    if (sigtimedwait(&signals_, nullptr, &kTick) < 0) continue;
    if (source_.stop_requested()) _exit(kExitInterrupted);
    source_.request_stop();
  }
}

}  // namespace stepscope
