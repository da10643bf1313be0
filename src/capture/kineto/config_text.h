#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace stepscope {

// What Kineto shall record.
struct KinetoOptions {
  int64_t steps = 0;     // 0: for a duration
  int64_t round_up = 1;  // start at the next step that this divides
  std::chrono::seconds warm_up{1};
  bool shapes = true;
  bool stacks = false;
  bool memory = false;  // a snapshot of the allocator instead of a trace
};

// The text that a process gets: KEY=VALUE lines, read top to bottom, where later keys win.
struct KinetoConfig {
  KinetoOptions options;
  std::chrono::milliseconds duration{2000};
  int64_t start_ms = 0;  // since 1970; of duration captures
  std::string file;      // "/tmp/x.json"; Kineto puts _PID before the .json
  std::string trace_id;
};
std::string ConfigText(const KinetoConfig& config);

}  // namespace stepscope
