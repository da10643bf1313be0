#include "cli/remote_serve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "cli/ssh_process.h"
#include "command/output.h"
#include "words/ssh.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSshTexts> Say;

// One that was free a moment ago; where somebody else takes it, ssh says so and ends.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int port = 0;
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(fd);
  return port;
}

// Not among those that the system gives to outgoing connections. If somebody has it already, the
// server there says so, and the next run takes another.
int PortThere() {
  constexpr int kLeast = 20'000, kMost = 29'999;
  std::random_device device;
  return std::uniform_int_distribution<int>(kLeast, kMost)(device);
}

sigset_t BlockedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

Result<void> ServeRemote(const RemotePage& page) {
  const sigset_t signals = BlockedSignals();
  const int here = page.port != 0 ? page.port : FreePort();
  const int there = PortThere();
  std::vector<std::string> words{page.program.program, "serve", "--end-with-stdin", "--port",
                                 fmt::format("{}", there)};
  words.insert(words.end(), page.words.begin(), page.words.end());
  words.insert(words.end(), {"--", page.place.path});
  Result<SshProcess> ssh =
      SshProcess::Start(SshArguments(page.program, page.place,
                                     {"-o", "ExitOnForwardFailure=yes", "-L",
                                      fmt::format("127.0.0.1:{}:127.0.0.1:{}", here, there)},
                                     ShellCommand(words)));
  if (!ssh) return std::unexpected(ssh.error());

  std::atomic<bool> over = false, stopped = false;
  std::jthread ender([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    if (over) return;
    stopped = true;
    ssh->EndInput();
  });
  std::string address = ssh->ReadLine();
  const std::string their_start = fmt::format("http://127.0.0.1:{}", there);
  const bool serves = address.starts_with(their_start);
  Result<void> written;
  if (serves) {
    address.replace(0, their_start.size(), fmt::format("http://127.0.0.1:{}", here));
    written = WriteOut(address + "\n");
    if (page.open != nullptr) page.open(address);
    // What else it prints is for people over there; the end of it is the end of the server.
    char ignored[4096];
    while (read(ssh->out(), ignored, sizeof ignored) > 0) {
    }
  }
  over = true;
  pthread_kill(ender.native_handle(), SIGTERM);
  ender.join();
  const int code = ssh->Wait();
  if (stopped || !written) return written;
  if (serves && code == SshProcess::kSshFailed) {
    return Fail(ErrorCode::kCannotRead, Say("ssh.connection-ended", page.place.host), {},
                Say("ssh.run-again"));
  }
  if (serves && code == 0) return {};
  return std::unexpected(SshError(code, page.place.host, page.program.program));
}

}  // namespace stepscope
