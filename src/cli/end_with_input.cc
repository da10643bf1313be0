#include "cli/end_with_input.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace stepscope {
namespace {

// False at the end of the input.
bool ReadSome() {
  char ignored[256];
  const ssize_t got = read(STDIN_FILENO, ignored, sizeof ignored);
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

void Watch(const std::stop_token& stop) {
  constexpr int kTickMs = 100;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!stop.stop_requested()) {
    if (poll(&input, 1, kTickMs) <= 0) continue;
    if (ReadSome()) continue;
    kill(getpid(), SIGTERM);
    return;
  }
}

}  // namespace

EndWithInput::EndWithInput() : thread_(Watch) {}

}  // namespace stepscope
