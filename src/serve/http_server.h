#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded
  std::map<std::string, std::string> parameters;
  std::string host, origin, fetch_site, token, languages;
  bool accepts_gzip = false;

  // The one that ?lang= names, else the first of Accept-Language that is known, else English.
  Language language() const;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  // Bytes that live as long as the program, in place of the body.
  std::string_view constant = {};
  bool gzipped = false;
  // Why there is no answer, in place of the body: rendered in the language of the request.
  Sentences refusal = {};
  std::map<std::string, std::string> headers = {};
  // A stream of text: called until it returns false, each text it gives is sent at once. Must
  // return within about a second, be it with an empty text.
  std::function<bool(std::string& next)> stream = {};
};

struct HttpLimits {
  size_t connections = 512;      // more are answered 503 and closed
  size_t head_bytes = 32 << 10;  // request line and headers
  int head_seconds = 10;         // for all of them
  int idle_seconds = 20;         // between requests of a connection
  int write_seconds = 20;        // without a byte taken
};

// HTTP/1.1 on one port, one thread per connection. Heads are read whole, within a limit of size and
// time, before anything parses them, so that slow, half-open and oversized requests cost a waiting
// thread and nothing else. The handler may be called on many threads at once and must not throw.
class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;
  HttpServer(Handler handler, HttpLimits limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Port 0: any free one. The port listened on.
  Result<int> Bind(const std::string& host, int port);
  // Serves until Stop(). Connections that are open are then cut.
  void Run();
  void Stop();
  size_t open_connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope
