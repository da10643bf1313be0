#include "capture/kineto/daemon.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;

// As Kineto has it: a socket of its own, from which it sends and on which answers wait.
class Client {
 public:
  Client(const std::string& directory, const std::string& name)
      : fd_(socket(AF_UNIX, SOCK_DGRAM, 0)), daemon_(Address(directory + "/dynolog")) {
    const sockaddr_un own = Address(directory + "/" + name);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Poll() {
    // 2: activities, one pid, no job.
    const int32_t head[4] = {2, 1, 0, 0};
    const int32_t pid = 4242;
    std::string payload(reinterpret_cast<const char*>(head), sizeof head);
    payload.append(reinterpret_cast<const char*>(&pid), sizeof pid);
    const std::string datagram = EncodeDatagram({"req", payload});
    EXPECT_EQ(sendto(fd_, datagram.data(), datagram.size(), 0,
                     reinterpret_cast<const sockaddr*>(&daemon_), sizeof daemon_),
              static_cast<ssize_t>(datagram.size()));
  }

  // The oldest answer; none after this time.
  std::optional<std::string> Answer(milliseconds within) {
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(within.count())) <= 0) return std::nullopt;
    char bytes[1024];
    const ssize_t size = recv(fd_, bytes, sizeof bytes, 0);
    const std::optional<KinetoDatagram> datagram =
        DecodeDatagram({bytes, static_cast<size_t>(size)});
    EXPECT_TRUE(datagram);
    return datagram ? std::optional(datagram->payload) : std::nullopt;
  }

 private:
  static sockaddr_un Address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
  }

  int fd_;
  sockaddr_un daemon_;
};

class Daemon : public testing::Test {
 protected:
  void Start(std::function<std::optional<std::string>()> answer) {
    auto daemon =
        KinetoDaemon::Start({DaemonAddress(dir_.path())},
                            {.on_poll =
                                 [this, answer](const KinetoPoll&, const PollingProcess&) {
                                   ++polls_;
                                   return answer();
                                 },
                             .on_unsent = [](const KinetoPoll&, const PollingProcess&) {}});
    ASSERT_TRUE(daemon) << InEnglish(daemon.error().sentence);
    daemon_ = std::move(*daemon);
  }

  TempDir dir_;
  std::atomic<int> polls_ = 0;
  std::unique_ptr<KinetoDaemon> daemon_;
};

// Kineto reads one answer to these two: it believes that the first was not sent.
TEST_F(Daemon, OfTwoFirstPollsAtOnceOneIsAnswered) {
  Start([] { return "text"; });
  Client client(dir_.path(), "client");
  client.Poll();
  client.Poll();
  EXPECT_EQ(client.Answer(milliseconds(5000)), "text");
  EXPECT_EQ(client.Answer(milliseconds(200)), std::nullopt);
  EXPECT_EQ(polls_, 1);
  client.Poll();
  EXPECT_EQ(client.Answer(milliseconds(5000)), "text");
}

TEST_F(Daemon, TwoPollsOneAfterTheOtherAreAnsweredBoth) {
  Start([] { return "text"; });
  Client client(dir_.path(), "client");
  for (int poll = 0; poll < 2; ++poll) {
    client.Poll();
    EXPECT_EQ(client.Answer(milliseconds(5000)), "text");
    std::this_thread::sleep_for(KinetoDaemon::kAtOnce + milliseconds(50));
  }
}

// Where the first one was not answered, nothing waits to be read as the answer to the second.
TEST_F(Daemon, ThePollAfterAnUnansweredOneIsAnswered) {
  Start([this]() -> std::optional<std::string> {
    if (polls_ == 1) return std::nullopt;
    return "text";
  });
  Client client(dir_.path(), "client");
  client.Poll();
  client.Poll();
  EXPECT_EQ(client.Answer(milliseconds(5000)), "text");
}

TEST_F(Daemon, EveryProcessHasAFirstPollOfItsOwn) {
  Start([] { return "text"; });
  Client one(dir_.path(), "one"), other(dir_.path(), "other");
  one.Poll();
  other.Poll();
  EXPECT_EQ(one.Answer(milliseconds(5000)), "text");
  EXPECT_EQ(other.Answer(milliseconds(5000)), "text");
}

TEST_F(Daemon, APollMayStayUnanswered) {
  Start([] { return std::nullopt; });
  Client client(dir_.path(), "client");
  client.Poll();
  EXPECT_EQ(client.Answer(milliseconds(200)), std::nullopt);
  EXPECT_EQ(polls_, 1);
}

TEST_F(Daemon, NothingToDoIsAnAnswer) {
  Start([] { return ""; });
  Client client(dir_.path(), "client");
  client.Poll();
  EXPECT_EQ(client.Answer(milliseconds(5000)), "");
}

}  // namespace
}  // namespace stepscope
