#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "advise/finding.h"
#include "advise/rank_collectives.h"
#include "base/result.h"
#include "ranks/jobs.h"
#include "read/open.h"
#include "study/reported.h"
#include "study/study.h"

namespace stepscope {

// Many profiles, of which only what a job needs is kept.
struct ReadJobs {
  JobsReport report;
  std::vector<Error> failed;  // files that could not be read
  // By digest: the study it is from, where that is still kept, and which of its traces.
  std::vector<std::shared_ptr<Study>> studies;
  std::vector<size_t> traces;
  std::vector<RankCollectives> collectives;  // by digest
};

// Reads the files one or two at a time. Studies are kept while all of them together take less than
// `keep_bytes`, about. An Error only when nothing could be read.
Result<ReadJobs> ReadManyJobs(const std::vector<std::string>& files, const StudyOptions& options,
                              size_t keep_bytes);

// One of the profiles again, with advice that knows the other ranks of its job: from the study that
// is kept, or the file is opened again.
struct RankReport {
  std::shared_ptr<Study> study;
  std::vector<Advice> advice;
  Reported reported;
};
Result<RankReport> ReportAgain(const ReadJobs& read, size_t digest, const StudyOptions& options);

// Of all files that were found, those that are profiles or that the user named; and those that
// nothing reads, but whose name says that they are a rank beside others: reading them tells what is
// wrong with them.
std::vector<std::string> ProfilesAmong(const std::vector<FoundFile>& found);

}  // namespace stepscope
