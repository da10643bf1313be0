#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace stepscope {

// How much one client may ask at once and per second, so that one of a team cannot keep the others
// from being answered. Thread-safe; what is kept per client is a few words, and clients that have
// been quiet are forgotten.
class ClientLimits {
 public:
  // 0: no limit.
  ClientLimits(size_t connections, size_t requests_per_second)
      : connections_(connections), requests_(requests_per_second) {}

  // False: the client has as many connections as it may. True must be followed by Leave.
  bool Enter(const std::string& client);
  void Leave(const std::string& client);
  // False: too many requests. A client that was quiet may ask for five seconds' worth at once.
  bool MayAsk(const std::string& client, std::chrono::steady_clock::time_point now);

 private:
  struct Client {
    size_t connections = 0;
    double left = 0;  // requests that it may make now
    std::chrono::steady_clock::time_point counted;
  };
  void ForgetQuiet(std::chrono::steady_clock::time_point now);

  const size_t connections_, requests_;
  std::mutex mutex_;
  std::map<std::string, Client> clients_;
};

}  // namespace stepscope
