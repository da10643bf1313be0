#include "capture/kineto/daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "words/capture.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

// Larger than any poll; what is longer is no poll.
constexpr size_t kMostDatagram = 16 << 10;

Result<socklen_t> Fill(const UnixAddress& address, sockaddr_un& out) {
  out = {};
  out.sun_family = AF_UNIX;
  if (address.path.size() > sizeof out.sun_path) {
    return Fail(ErrorCode::kUsage, Say("capture.long-directory"), address.shown,
                Say("capture.shorter-directory"));
  }
  std::memcpy(out.sun_path, address.path.data(), address.path.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.path.size());
}

Result<int> Listen(const UnixAddress& address) {
  sockaddr_un name;
  const Result<socklen_t> size = Fill(address, name);
  if (!size) return std::unexpected(size.error());
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Fail(ErrorCode::kCannotRead, SystemReason(errno), address.shown);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  // A file that nobody listens at is left over from a daemon that died.
  if (!address.is_abstract() && !DaemonListens(address)) unlink(name.sun_path);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&name), *size) != 0) {
    const int error = errno;
    close(fd);
    if (error == EADDRINUSE) {
      return Fail(ErrorCode::kCannotRead, Say("capture.other-daemon", address.shown), {},
                  Say("capture.wait-other-daemon"));
    }
    return Fail(ErrorCode::kCannotRead, Say("capture.cannot-listen", SystemReason(error)),
                address.shown, Say("capture.check-socket-directory"));
  }
  // Processes of other users poll, too.
  if (!address.is_abstract()) chmod(name.sun_path, 0666);
  return fd;
}

struct Arrival {
  PollingProcess process;
  // Since 1970; where the kernel does not say when it came, when we saw it.
  std::chrono::nanoseconds at = std::chrono::system_clock::now().time_since_epoch();
};

Arrival ArrivalOf(msghdr& message) {
  Arrival arrival;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials;
      std::memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
      arrival.process = {credentials.pid, credentials.uid};
    } else if (part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec time;
      std::memcpy(&time, CMSG_DATA(part), sizeof time);
      arrival.at = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
  }
  return arrival;
}

std::chrono::nanoseconds AgeOfPoll(std::chrono::nanoseconds arrived) {
  return std::chrono::system_clock::now().time_since_epoch() - arrived;
}

// On a busy machine answers come first. A higher priority alone counts only among the programs of
// one terminal; both are for the administrator, and others have to take their turn.
void RunFirst() {
  sched_param lowest{};
  lowest.sched_priority = 1;
  if (pthread_setschedparam(pthread_self(), SCHED_RR, &lowest) == 0) return;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20);
}

}  // namespace

struct KinetoDaemon::Sender {
  int fd = -1;  // the socket that it came to
  PollingProcess process;
  std::chrono::nanoseconds arrived{0};  // since 1970
  sockaddr_un address;
  socklen_t size = 0;

  std::string key() const { return {reinterpret_cast<const char*>(&address), size}; }
};

bool DaemonListens(const UnixAddress& address) {
  sockaddr_un name;
  const Result<socklen_t> size = Fill(address, name);
  const int fd = size ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
  if (fd < 0) return false;
  const bool listens = connect(fd, reinterpret_cast<const sockaddr*>(&name), *size) == 0;
  close(fd);
  return listens;
}

Result<std::unique_ptr<KinetoDaemon>> KinetoDaemon::Start(const std::vector<UnixAddress>& addresses,
                                                          Handler handler) {
  std::unique_ptr<KinetoDaemon> daemon(new KinetoDaemon);
  daemon->handler_ = std::move(handler);
  for (const UnixAddress& address : addresses) {
    const Result<int> fd = Listen(address);
    if (!fd) return std::unexpected(fd.error());
    daemon->sockets_.push_back({*fd, address});
  }
  daemon->thread_ =
      std::jthread([self = daemon.get()](const std::stop_token& stop) { self->Serve(stop); });
  return daemon;
}

KinetoDaemon::KinetoDaemon() = default;

KinetoDaemon::~KinetoDaemon() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  for (const Socket& socket : sockets_) close(socket.fd);
}

void KinetoDaemon::Serve(const std::stop_token& stop) {
  constexpr int kTickMs = 50;  // how long the end of the capture may wait for this thread
  RunFirst();
  std::vector<pollfd> polled;
  for (const Socket& socket : sockets_) polled.push_back({socket.fd, POLLIN, 0});
  while (!stop.stop_requested()) {
    if (poll(polled.data(), polled.size(), kTickMs) <= 0) continue;
    for (const pollfd& one : polled) {
      if (one.revents != 0) Drain(one.fd);
    }
  }
  // Nobody polls from here on; who has polled already gets an answer.
  for (const Socket& socket : sockets_) {
    if (!socket.address.is_abstract()) unlink(socket.address.path.c_str());
    Drain(socket.fd);
  }
}

void KinetoDaemon::Drain(int fd) {
  char bytes[kMostDatagram];
  while (true) {
    Sender sender;
    alignas(cmsghdr) char control[256];
    iovec part{bytes, sizeof bytes};
    msghdr message{};
    message.msg_name = &sender.address;
    message.msg_namelen = sizeof sender.address;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;
    if ((message.msg_flags & MSG_TRUNC) != 0 || message.msg_namelen == 0) continue;
    const Arrival arrival = ArrivalOf(message);
    sender.fd = fd;
    sender.process = arrival.process;
    sender.arrived = arrival.at;
    sender.size = message.msg_namelen;
    Take({bytes, static_cast<size_t>(size)}, sender);
  }
}

void KinetoDaemon::Take(std::string_view bytes, const Sender& sender) {
  const std::optional<KinetoDatagram> asked = DecodeDatagram(bytes);
  if (!asked) return;
  Client& client = clients_[sender.key()];
  if (std::exchange(client.late, false)) return;
  const bool is_poll = asked->type == "req";
  if (is_poll && client.first.count() != 0 && !std::exchange(client.second, true) &&
      sender.arrived - client.first < kAtOnce) {
    return;
  }
  const bool sent = Answer(*asked, sender);
  client.late = sent && AgeOfPoll(sender.arrived) > kTooLate;
  if (sent && is_poll && client.first.count() == 0) client.first = sender.arrived;
}

// Whether an answer went out.
bool KinetoDaemon::Answer(const KinetoDatagram& asked, const Sender& sender) {
  KinetoDatagram answer{asked.type, {}};
  std::optional<KinetoPoll> poll;
  if (asked.type == "ctxt" && DecodeContext(asked.payload)) {
    answer.payload = EncodeContextAnswer(1);
  } else if (asked.type == "req" && (poll = DecodePoll(asked.payload))) {
    std::optional<std::string> config = handler_.on_poll(*poll, sender.process);
    if (!config) return false;
    answer.payload = std::move(*config);
  } else {
    return false;
  }
  const std::string datagram = EncodeDatagram(answer);
  const bool in_time = AgeOfPoll(sender.arrived) <= kLate;
  const bool sent =
      in_time && sendto(sender.fd, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                        reinterpret_cast<const sockaddr*>(&sender.address),
                        sender.size) == static_cast<ssize_t>(datagram.size());
  if (!sent && poll && !answer.payload.empty()) handler_.on_unsent(*poll, sender.process);
  return sent;
}

}  // namespace stepscope
