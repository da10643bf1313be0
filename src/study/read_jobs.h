#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ranks/jobs.h"
#include "study/study.h"

namespace stepscope {

// Many profiles, of which only what a job needs is kept.
struct ReadJobs {
  JobsReport report;
  std::vector<Error> failed;  // files that could not be read
  // By digest: the study it is from, where that is still kept, and which of its traces.
  std::vector<std::shared_ptr<Study>> studies;
  std::vector<size_t> traces;
};

// Reads the files one or two at a time. Studies are kept while all of them together take less than
// `keep_bytes`, about. An Error only when nothing could be read.
Result<ReadJobs> ReadManyJobs(const std::vector<std::string>& files, const StudyOptions& options,
                              size_t keep_bytes);

}  // namespace stepscope
