#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
// ahead of what else the machine runs and without waiting for any lock, so that nothing can make an
// answer late: Kineto looks for the answer during 40 ms (80 ms in newer versions) and takes a later
// one for that to its next poll. Polls that are older than kLate are dropped, and asked again by
// Kineto.
//
// Of two first polls at once only the first is answered. As long as nobody listens, Kineto tries to
// send a poll eleven times within 10.2 s, and takes the eleventh for failed even if it arrived. It
// then polls again at once, and reads the answer to the first poll as that to the second; with two
// answers it would be one behind for ever.
class KinetoDaemon {
 public:
  static constexpr std::chrono::milliseconds kAtOnce{400};
  static constexpr std::chrono::milliseconds kLate{35};
  static constexpr std::chrono::milliseconds kTooLate{40};  // for an answer that was sent

  // Both are called on that thread and must return within a few milliseconds.
  struct Handler {
    // The config for the process. Empty: nothing to do. None: the poll stays unanswered.
    std::function<std::optional<std::string>(const KinetoPoll&, const PollingProcess&)> on_poll;
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
  KinetoDaemon();
  void Serve(const std::stop_token& stop);
  void Drain(int fd);
  struct Sender;
  // A process, by the address that it polls from.
  struct Client {
    std::chrono::nanoseconds first{0};  // when the first poll came that was answered, since 1970
    bool second = false;                // it polled again after that
    bool late = false;                  // the last answer to it was late
  };
  void Take(std::string_view bytes, const Sender& sender);
  bool Answer(const KinetoDatagram& asked, const Sender& sender);

  std::vector<Socket> sockets_;
  std::map<std::string, Client> clients_;
  Handler handler_;
  std::jthread thread_;
};

}  // namespace stepscope
