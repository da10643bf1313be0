#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "capture/kineto/datagram.h"

namespace stepscope {

// Whether somebody listens there: dynolog, or another capture.
bool DaemonListens(const UnixAddress& address);

// A process that polled, as the kernel vouches for it.
struct PollingProcess {
  int pid = 0;  // in our own pid namespace; 0 where it has none there
  unsigned uid = 0;
};

// The daemon that Kineto polls every five seconds. A thread of its own answers each poll at once,
// so that nothing else can make an answer late: Kineto takes a late answer for that to its next
// poll. Polls that are older than kLate are dropped, and asked again by Kineto.
class KinetoDaemon {
 public:
  static constexpr std::chrono::milliseconds kLate{60};
  static constexpr std::chrono::milliseconds kTooLate{85};  // for an answer that was sent

  // Both are called on that thread and must return within a few milliseconds.
  struct Handler {
    // The config for the process; empty: nothing to do.
    std::function<std::string(const KinetoPoll&, const PollingProcess&)> on_poll;
    // The config did not go out after all.
    std::function<void(const KinetoPoll&, const PollingProcess&)> on_unsent;
  };

  // Listens at the abstract address and in these directories. Another daemon that does is an
  // Error.
  static Result<std::unique_ptr<KinetoDaemon>> Start(const std::vector<UnixAddress>& addresses,
                                                     Handler handler);
  ~KinetoDaemon();
  KinetoDaemon(const KinetoDaemon&) = delete;
  KinetoDaemon& operator=(const KinetoDaemon&) = delete;

 private:
  struct Socket {
    int fd = -1;
    UnixAddress address;
  };
  KinetoDaemon() = default;
  void Serve(const std::stop_token& stop);
  void Drain(int fd);
  struct Sender;
  void Answer(int fd, std::string_view bytes, const Sender& sender);

  std::vector<Socket> sockets_;
  std::set<std::string> late_;  // addresses whose last answer was late
  Handler handler_;
  std::jthread thread_;
};

}  // namespace stepscope
