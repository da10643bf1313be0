#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"

namespace stepscope {

// One capture of a rolling series, as it is kept: its report, and the profile only where the step
// was unusually fast or slow.
struct SeriesPoint {
  std::string name;                       // "2026-11-16_14-30-05"
  std::optional<int64_t> median_step_ns;  // the slowest of several profiles; none: no steps
  bool outlier = false;
};

// Whether the step is more than a tenth away from the median of the points before; those without
// steps, and the first three, cannot be told.
bool IsOutlier(std::optional<int64_t> median_step_ns, const std::vector<SeriesPoint>& before);

// The slowest median step in what `stepscope report --json` printed.
std::optional<int64_t> MedianStepIn(std::string_view report_json);

struct SeriesOptions {
  std::string directory;  // NAME.report.json of each point, NAME/ with the profile of outliers
  std::chrono::milliseconds every{0};
  size_t keep = 20;
  std::stop_token stop;
};

// Captures, reports and waits, until `stop` or an Error of the first capture: a later one that
// fails is a line, and the series goes on. `capture` writes into the folder that it gets.
Result<void> RunSeries(const SeriesOptions& options,
                       const std::function<Result<Captured>(const std::string& folder)>& capture);

}  // namespace stepscope
