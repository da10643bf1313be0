#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/access_log.h"
#include "serve/http_message.h"

namespace stepscope {

struct HttpLimits {
  size_t connections = 512;      // more are answered 503 and closed
  size_t head_bytes = 32 << 10;  // request line and headers
  int head_seconds = 10;         // for all of them
  int idle_seconds = 20;         // between requests of a connection
  int write_seconds = 20;        // without a byte taken
  int body_seconds = 30;         // without a byte of a body sent
  BodyRule bodies = {};
  // Of one client: more connections are answered 503, more requests 429. 0: no limit.
  size_t client_connections = 64;
  size_t client_requests = 500;  // a second
  // Whether these hold for clients on this machine, too: who works there has no others to spare.
  bool limits_this_machine = false;
  // Connections from this address carry requests of many clients, whom X-Forwarded-For names.
  std::string trusted_proxy = {};
  // Called for each request, also for those that are refused; on many threads at once.
  std::function<void(const Access&)> log = {};
};

// HTTP/1.1 on one port, one thread per connection. Heads are read whole, within a limit of size and
// time, before anything parses them, so that slow, half-open and oversized requests cost a waiting
// thread and nothing else; bodies are taken on one path only, part by part. The handler may be
// called on many threads at once and must not throw.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;
  HttpServer(Handler handler, HttpLimits limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Port 0: any free one. The port listened on.
  Result<int> Bind(const std::string& host, int port);
  // Serves until Stop(), then cuts the connections that are open and waits for their threads.
  void Run();
  void Stop();
  size_t open_connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope
