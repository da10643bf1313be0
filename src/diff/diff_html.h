#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diff/diff.h"
#include "study/study.h"

namespace stepscope::diff {

// A comparison as one HTML file that opens offline: the page's Compare with all nodes and, of
// profiles, a reduced timeline. A side that is a stored baseline has no timeline. An Error when the
// program was built without the page. Its sentences are in that language, in which it opens.
Result<std::string> DiffHtml(const Diff& diff, const std::vector<std::string>& base_paths,
                             const std::vector<std::string>& now_paths, Language language,
                             const StudyOptions& options);

}  // namespace stepscope::diff
