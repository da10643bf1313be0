#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// tensorflow.ProfilerService of TensorFlow and JAX, message by message (profiler_service.proto).
inline constexpr std::string_view kProfileMethod = "/tensorflow.ProfilerService/Profile";
inline constexpr std::string_view kTerminateMethod = "/tensorflow.ProfilerService/Terminate";
inline constexpr std::string_view kMonitorMethod = "/tensorflow.ProfilerService/Monitor";

struct TracerLevels {
  uint32_t host = 2;    // 0 off, 1 the program's own marks, 2 ops, 3 all that the runtime does
  uint32_t device = 1;  // 0 off
  bool python = false;
};

struct ProfileRequest {
  std::chrono::milliseconds duration{2000};
  TracerLevels levels;
  uint64_t start_ns = 0;        // since 1970; 0: at once
  std::string session_id;       // for Terminate
  std::string host_name;        // names the file of an old server
  std::string repository_root;  // where an old server writes it
};
std::string EncodeProfileRequest(const ProfileRequest& request);
std::string EncodeTerminateRequest(std::string_view session_id);
std::string EncodeMonitorRequest(std::chrono::milliseconds duration);

// What a Monitor call says of the machine. Servers fill what they know.
struct MonitorAnswer {
  std::string text;
  std::optional<double> device_idle_percent, matrix_unit_percent, step_ms;
};
// The message, without gRPC's five bytes before it. Damage ends the reading.
MonitorAnswer DecodeMonitorAnswer(std::string_view message);

}  // namespace stepscope
