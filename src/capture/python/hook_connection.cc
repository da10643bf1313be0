#include "capture/python/hook_connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

namespace stepscope {

std::optional<HookConnection> HookConnection::Open(int own_pid) {
  const std::string name = fmt::format("stepscope-python-{}", own_pid);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // after a zero: abstract
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    close(fd);
    return std::nullopt;
  }
  return HookConnection(fd);
}

HookConnection::~HookConnection() {
  if (fd_ >= 0) close(fd_);
}

HookConnection::HookConnection(HookConnection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), ended_(other.ended_), rest_(std::move(other.rest_)) {}

bool HookConnection::Send(std::string_view text) const {
  return send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::optional<std::string> HookConnection::Line(std::chrono::milliseconds within) {
  constexpr size_t kMostLine = size_t{1} << 20;
  pollfd waiting{fd_, POLLIN, 0};
  if (!rest_.contains('\n') && !ended_ && poll(&waiting, 1, static_cast<int>(within.count())) > 0) {
    char bytes[4096];
    const ssize_t size = recv(fd_, bytes, sizeof bytes, 0);
    ended_ = size <= 0 || rest_.size() > kMostLine;
    if (size > 0) rest_.append(bytes, static_cast<size_t>(size));
  }
  const size_t end = rest_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = rest_.substr(0, end);
  rest_.erase(0, end + 1);
  return line;
}

int OwnPid(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  constexpr std::string_view kNumbers = "NSpid:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kNumbers)) continue;
    const size_t last = line.find_last_of(" \t") + 1;
    int own = pid;
    std::from_chars(line.data() + last, line.data() + line.size(), own);
    return own;
  }
  return pid;
}

}  // namespace stepscope
