#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "capture/curl.h"
#include "capture/target.h"

namespace stepscope {

struct HttpReply {
  int status = 0;
  std::string body;
};

// Asks one server, without TLS and without a proxy.
class HttpClient {
 public:
  // kUnsupported where libcurl is missing.
  static Result<HttpClient> To(const HostPort& server);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  // A GET without a body, a POST of JSON with one. An answer may take `seconds`.
  Result<HttpReply> Ask(const std::string& path, const std::optional<std::string>& json,
                        int seconds);

 private:
  HttpClient(const Curl* curl, std::string server);

  const Curl* curl_;
  CURL* handle_;
  curl_slist* headers_;
  std::string server_;  // "http://host:port"
};

}  // namespace stepscope
