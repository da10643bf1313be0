#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "diff/run.h"
#include "study/study.h"

namespace stepscope::diff {

// The runs of one side: each path is a profile, a directory of profiles, a stored baseline or a
// `report --json`. Profiles of different ranks of one job (one folder, one world size) are one run.
// One profile is in memory at a time. An Error names what is wrong with which path.
// `read_other` reads files that are no traces and are known elsewhere; none where it does not know
// them either.
using ReadOther = std::function<Result<std::optional<std::vector<Run>>>(const std::string& path)>;
Result<std::vector<Run>> OpenSide(const std::vector<std::string>& paths,
                                  const StudyOptions& options, const ReadOther& read_other = {});

// The runs of a study that is open.
std::vector<Run> RunsOf(Study& study);

// The files that a pattern names, sorted; an Error where there are none.
Result<std::vector<std::string>> Globbed(const std::string& pattern);

}  // namespace stepscope::diff
