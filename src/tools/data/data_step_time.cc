#include "tools/data/data_step_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "link/links.h"
#include "link/steps.h"
#include "read/open.h"

namespace stepscope {

Result<StepTime> StepTimeOf(const std::string& path, TaskPool& pool) {
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  if (!profile) return std::unexpected(profile.error());
  std::vector<int64_t> durations;
  for (const Trace& trace : profile->traces) {
    Diagnostics diagnostics;
    const Steps steps = FindSteps(trace, LinkTrace(trace, pool), diagnostics);
    for (const Step& step : steps.items) {
      if (step.used()) durations.push_back(step.duration.ns);
    }
  }
  if (durations.empty()) {
    return Fail(ErrorCode::kUnsupported, "The profile has no steps to take a time from", path,
                "Give --step-ms instead.");
  }
  const auto middle = durations.begin() + static_cast<ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return StepTime{static_cast<double>(*middle) / 1e9,
                  fmt::format("median of {} steps of {}", durations.size(), path)};
}

}  // namespace stepscope
