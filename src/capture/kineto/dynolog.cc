#include "capture/kineto/dynolog.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/json_document.h"
#include "capture/json_text.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

constexpr int32_t kMostAnswer = 1 << 20;

class Connection {
 public:
  explicit Connection(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 2, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // i32 length in the machine's order, then JSON; both ways.
  Result<JsonValue> Call(const std::string& json) {
    const auto size = static_cast<int32_t>(json.size());
    std::string message(reinterpret_cast<const char*>(&size), sizeof size);
    message += json;
    int32_t answer_size = 0;
    std::string answer;
    if (!connected_ || send(fd_, message.data(), message.size(), MSG_NOSIGNAL) !=
                           static_cast<ssize_t>(message.size())) {
      return Silent();
    }
    if (!Read(reinterpret_cast<char*>(&answer_size), sizeof answer_size)) return Silent();
    if (answer_size < 0 || answer_size > kMostAnswer) return Silent();
    answer.resize(static_cast<size_t>(answer_size));
    if (!Read(answer.data(), answer.size())) return Silent();
    return ParseJson(answer);
  }

 private:
  static std::unexpected<Error> Silent() {
    return Fail(ErrorCode::kCannotRead, Say("capture.dynolog-silent"), {},
                Say("capture.stop-dynolog"));
  }
  bool Read(char* into, size_t size) {
    for (size_t done = 0; done < size;) {
      const ssize_t got = recv(fd_, into + done, size - done, 0);
      if (got <= 0) return false;
      done += static_cast<size_t>(got);
    }
    return true;
  }

  int fd_;
  bool connected_ = false;
};

}  // namespace

bool DynologAnswers(int port) {
  const Result<JsonValue> status = Connection(port).Call(R"({"fn":"getStatus"})");
  return status && !(*status)["status"].is_null();
}

Result<std::vector<int>> AskDynolog(const std::string& config, const std::vector<int>& pids,
                                    int64_t job, int port) {
  const Result<JsonValue> answer = Connection(port).Call(fmt::format(
      R"({{"fn":"setKinetOnDemandRequest","config":{},"job_id":{},"pids":[{}],"process_limit":1000}})",
      JsonQuoted(config), job, pids.empty() ? "0" : fmt::format("{}", fmt::join(pids, ","))));
  if (!answer) return std::unexpected(answer.error());
  std::vector<int> triggered;
  for (const JsonValue& pid : (*answer)["activityProfilersTriggered"].items()) {
    triggered.push_back(static_cast<int>(pid.AsInt()));
  }
  if (!triggered.empty()) return triggered;
  return Fail(ErrorCode::kCannotRead,
              (*answer)["activityProfilersBusy"].AsInt() > 0 ? Say("capture.dynolog-busy")
                                                             : Say("capture.dynolog-unknown"),
              {}, Say("capture.dynolog-again"));
}

}  // namespace stepscope
