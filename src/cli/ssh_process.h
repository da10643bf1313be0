#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

// A running ssh. Its standard error is ours, its standard input a pipe that stays open until
// EndInput(): the program over there takes the end of it for Ctrl-C. Signals that are blocked here
// are so in ssh, so that Ctrl-C on the terminal does not cut the connection.
class SshProcess {
 public:
  static Result<SshProcess> Start(const std::vector<std::string>& arguments);
  SshProcess(SshProcess&& other) noexcept;
  SshProcess& operator=(SshProcess&&) = delete;
  ~SshProcess();

  // Its standard output.
  int out() const { return out_; }
  // Up to the end of the line, which is left out; "" at the end of the output.
  std::string ReadLine();
  void EndInput();
  // Reads no more. Its exit code: that of the program over there, or kSshFailed.
  int Wait();
  static constexpr int kSshFailed = 255;

 private:
  SshProcess(pid_t pid, int in, int out) : pid_(pid), in_(in), out_(out) {}

  pid_t pid_;
  int in_, out_;
};

// The Error where ssh ended with this code before the program there said anything.
Error SshError(int code, const std::string& host, const std::string& program);

}  // namespace stepscope
