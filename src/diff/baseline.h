#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/result.h"
#include "diff/run.h"

namespace stepscope::diff {

// A stored baseline: all that a comparison needs of some runs, as JSON (stepscope.baseline/1). Some
// hundred kilobytes for a trace of a hundred megabytes.
std::string BaselineJson(std::span<const Run> runs);

// The runs of a file that is a baseline or a `report --json`; none where it is neither.
Result<std::optional<std::vector<Run>>> ReadStoredRuns(const std::string& path);

// What a report (stepscope.report/1) tells of its run. It has steps and their parts; its tables of
// ops are sums over the run, so nodes are means per step.
Run RunOfReport(const JsonValue& report);

}  // namespace stepscope::diff
