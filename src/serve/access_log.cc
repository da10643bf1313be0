#include "serve/access_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "present/unicode.h"
#include "words/serve.h"
#include "words/system_reason.h"

namespace stepscope {

namespace {

constexpr SayFrom<kServeTexts> Say;

}  // namespace

Result<std::unique_ptr<AccessLog>> AccessLog::Open(const std::string& path) {
  const int file = path == "-"
                       ? STDERR_FILENO
                       : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) {
    return Fail(ErrorCode::kCannotWrite, Say("serve.cannot-log", SystemReason(errno)), path,
                Say("serve.choose-log"));
  }
  return std::unique_ptr<AccessLog>(new AccessLog(file));
}

AccessLog::~AccessLog() {
  if (file_ != STDERR_FILENO) close(file_);
}

std::string AccessLog::LineOf(const Access& access, std::chrono::system_clock::time_point time) {
  constexpr size_t kLongest = 512;
  const auto or_dash = [](const std::string& text) {
    return text.empty() ? std::string("-") : Printable(text.substr(0, kLongest));
  };
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {} {} {} {} {} {:.3f}ms\n",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)),
                     or_dash(access.client), or_dash(access.method), or_dash(access.path),
                     access.status, access.bytes, static_cast<double>(access.took.count()) / 1e3);
}

void AccessLog::Write(const Access& access) const {
  const std::string line = LineOf(access, std::chrono::system_clock::now());
  (void)!write(file_, line.data(), line.size());
}

}  // namespace stepscope
