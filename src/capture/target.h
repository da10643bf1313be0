#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address
  int port = 0;

  std::string text() const;  // "host:port", "[::1]:port"
  bool is_loopback() const;
  bool operator==(const HostPort&) const = default;
};

enum class TargetKind : uint8_t {
  kProfilerService,  // of JAX and TensorFlow
  kPyTorch,          // processes that poll, through Kineto
  kVllm,
  kSglang,
  kPython,  // a program with the hook of `stepscope record`
};

// What the user wants to capture: the words of the command line, checked.
struct CaptureTarget {
  TargetKind kind = TargetKind::kProfilerService;
  std::vector<HostPort> hosts;  // of all but kPyTorch and kPython
  // Of kPython the process. Of kPyTorch: a process and what it started, or a job, or neither: all
  // processes.
  int pid = 0;
  std::string job;
};

// "grpc://host:port,host:port", "host:port", "pid:4242", "job:NAME", "all", "python:4242",
// "vllm://host:port" or "sglang://host:port".
Result<CaptureTarget> ParseCaptureTarget(std::string_view text);

// "500ms", "2s", "1.5s", "10m", or a number of seconds.
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

}  // namespace stepscope
