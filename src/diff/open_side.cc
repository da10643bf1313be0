#include "diff/open_side.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "diff/baseline.h"
#include "diff/run_of_trace.h"
#include "study/reported.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

// Ranks of one job stand in one folder and know how many they are. A rank that is there already
// begins the next run.
std::vector<Run> JoinJobs(std::vector<Run> runs) {
  struct Job {
    std::string key;
    std::set<int64_t> ranks;
    std::vector<Run> members;
  };
  std::vector<Job> jobs;
  for (Run& run : runs) {
    if (!run.rank || run.ranks > 1) {
      jobs.push_back({{}, {}, {}});
      jobs.back().members.push_back(std::move(run));
      continue;
    }
    const auto world = run.environment.find("world_size");
    const std::string key = std::filesystem::path(run.paths.front()).parent_path().string() + "\n" +
                            (world == run.environment.end() ? std::string() : world->second);
    auto job = std::find_if(jobs.begin(), jobs.end(), [&](const Job& known) {
      return known.key == key && !known.ranks.contains(*run.rank);
    });
    if (job == jobs.end()) job = jobs.insert(jobs.end(), {key, {}, {}});
    job->ranks.insert(*run.rank);
    job->members.push_back(std::move(run));
  }
  std::vector<Run> joined;
  for (Job& job : jobs) joined.push_back(JoinRanks(std::move(job.members)));
  return joined;
}

std::vector<Run> RunsOfTraces(Study& study) {
  std::vector<Run> runs;
  for (const Reported& reported : study.reported()) runs.push_back(RunOfTrace(reported));
  return runs;
}

}  // namespace

std::vector<Run> RunsOf(Study& study) { return JoinJobs(RunsOfTraces(study)); }

Result<std::vector<Run>> OpenSide(const std::vector<std::string>& paths,
                                  const StudyOptions& options, const ReadOther& read_other) {
  std::vector<Run> runs;
  for (const std::string& path : paths) {
    Result<std::optional<std::vector<Run>>> stored = ReadStoredRuns(path);
    if (stored && !*stored && read_other) stored = read_other(path);
    if (!stored) return std::unexpected(std::move(stored.error()));
    std::vector<Run> more;
    if (*stored) {
      more = std::move(**stored);
    } else {
      Result<std::unique_ptr<Study>> study = Study::Open({path}, options);
      if (!study) return std::unexpected(std::move(study.error()));
      more = RunsOfTraces(**study);
    }
    std::move(more.begin(), more.end(), std::back_inserter(runs));
  }
  return JoinJobs(std::move(runs));
}

Result<std::vector<std::string>> Globbed(const std::string& pattern) {
  glob_t found{};
  const int failed = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> paths;
  if (failed == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (paths.empty()) {
    return Fail(ErrorCode::kCannotRead, Say("diff.no-file"), pattern, Say("diff.quote-pattern"));
  }
  return paths;
}

}  // namespace stepscope::diff
