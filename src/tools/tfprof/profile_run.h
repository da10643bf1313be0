#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diff/run.h"

namespace stepscope {

// The run that a tfprof profile (ProfileProto) holds, for a comparison; none where the file is
// something else. Its steps are those of the profile; times are whole microseconds there.
Result<std::optional<std::vector<diff::Run>>> ReadTfprofRuns(const std::string& path);

}  // namespace stepscope
