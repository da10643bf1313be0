#include "capture/kineto/config_text.h"

#include <fmt/format.h>

namespace stepscope {

std::string ConfigText(const KinetoConfig& config) {
  const KinetoOptions& options = config.options;
  std::string out;
  const auto add = [&](std::string_view key, const auto& value) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "\n", key, value);
  };
  const int64_t duration = config.duration.count();
  if (options.memory) {
    add("PROFILE_PROFILE_MEMORY", true);
    add("PROFILE_MEMORY", true);
    add("PROFILE_MEMORY_DURATION_MSECS", duration);
  } else {
    add("ACTIVITIES_LOG_FILE", config.file);
  }
  if (options.steps > 0 && !options.memory) {
    add("PROFILE_START_ITERATION", 0);
    add("PROFILE_START_ITERATION_ROUNDUP", options.round_up);
    add("ACTIVITIES_ITERATIONS", options.steps);
  } else {
    add("PROFILE_START_TIME", config.start_ms);
  }
  // Also what a process gets that counts no steps.
  add("ACTIVITIES_DURATION_MSECS", duration);
  add("ACTIVITIES_WARMUP_PERIOD_SECS", options.warm_up.count());
  add("PROFILE_REPORT_INPUT_SHAPES", options.shapes);
  add("PROFILE_WITH_STACK", options.stacks);
  add("REQUEST_TRACE_ID", config.trace_id);
  add("REQUEST_GROUP_TRACE_ID", config.trace_id);
  return out;
}

}  // namespace stepscope
