#include "serve/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

bool WaitFor(int socket, short events, std::chrono::milliseconds time) {
  pollfd descriptor{socket, events, 0};
  int ready = 0;
  do {
    ready = poll(&descriptor, 1, static_cast<int>(std::max<int64_t>(time.count(), 0)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

RequestHead ReadHead(int socket, std::string pending, size_t most_bytes, int idle_seconds,
                     int head_seconds) {
  RequestHead head;
  std::string text = std::move(pending);
  Clock::time_point deadline =
      Clock::now() + std::chrono::seconds(text.empty() ? idle_seconds : head_seconds);
  char buffer[8192];
  while (true) {
    const size_t end = text.find("\r\n\r\n");
    if (end != std::string::npos && end + 4 <= most_bytes) {
      head.outcome = HeadOutcome::kComplete;
      head.rest = text.substr(end + 4);
      head.text = text.substr(0, end + 4);
      return head;
    }
    if (text.size() >= most_bytes) {
      head.outcome = HeadOutcome::kTooLarge;
      return head;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !WaitFor(socket, POLLIN, left)) {
      head.outcome = text.empty() ? HeadOutcome::kClosed : HeadOutcome::kTooSlow;
      return head;
    }
    const ssize_t got = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return head;
    if (text.empty()) deadline = Clock::now() + std::chrono::seconds(head_seconds);
    text.append(buffer, static_cast<size_t>(got));
  }
}

std::string ReceiveSome(int socket, size_t most, int seconds) {
  std::string part(most, '\0');
  while (WaitFor(socket, POLLIN, std::chrono::seconds(seconds))) {
    const ssize_t got = recv(socket, part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    part.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return part;
  }
  return {};
}

bool SendAll(int socket, std::string_view bytes, int seconds) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      if (!WaitFor(socket, POLLOUT, std::chrono::seconds(seconds))) return false;
    } else if (sent == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace stepscope
