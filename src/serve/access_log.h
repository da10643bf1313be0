#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"

namespace stepscope {

// One request as `serve --log` writes it.
struct Access {
  std::string client;
  std::string method;
  std::string path;  // without the query, which may hold the token
  int status = 0;
  size_t bytes = 0;
  std::chrono::microseconds took{0};
};

// "2026-01-31T12:00:00Z 127.0.0.1 GET /api/session 200 512 1.234ms", a line per request. A file is
// appended to, one write per line, so that a program may rotate or follow it. Thread-safe.
class AccessLog {
 public:
  // "-": standard error.
  static Result<std::unique_ptr<AccessLog>> Open(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void Write(const Access& access) const;
  static std::string LineOf(const Access& access, std::chrono::system_clock::time_point time);

 private:
  explicit AccessLog(int file) : file_(file) {}
  const int file_;
};

}  // namespace stepscope
