#include "study/read_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "advise/advise.h"
#include "advise/given.h"
#include "analyze/report.h"
#include "base/task_pool.h"
#include "link/linked_trace.h"
#include "ranks/digest_trace.h"
#include "read/trace_readers.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

// Heap bytes of a trace, its links and its report, about: a span takes 36 bytes and up to 72 for
// its args, links and analyses about as much again.
constexpr size_t kBytesPerSpan = 200;

struct FileResult {
  std::vector<RankDigest> digests;
  std::vector<RankCollectives> collectives;
  std::shared_ptr<Study> study;
  std::optional<Error> error;
};

class ManyReader {
 public:
  ManyReader(const std::vector<std::string>& files, const StudyOptions& options, size_t keep_bytes)
      : files_(files), options_(options), keep_bytes_(keep_bytes), results_(files.size()) {}

  Result<ReadJobs> Run() {
    // Two files side by side use two cores better than one file cut in pieces.
    const unsigned cores = options_.threads != 0
                               ? options_.threads
                               : std::max(1U, std::thread::hardware_concurrency());
    const unsigned readers = files_.size() > 1 ? std::min(2U, cores) : 1;
    const unsigned each = std::max(1U, cores / readers);
    TaskPool pool(readers);
    pool.ForEach(files_.size(), [&](size_t i) { ReadOne(i, each); });
    return Join();
  }

 private:
  void ReadOne(size_t i, unsigned threads);
  Result<ReadJobs> Join();

  const std::vector<std::string>& files_;
  const StudyOptions& options_;
  const size_t keep_bytes_;
  std::vector<FileResult> results_;
  std::atomic<size_t> kept_ = 0, done_ = 0;
};

void ManyReader::ReadOne(size_t i, unsigned threads) {
  StudyOptions options = options_;
  options.threads = threads;
  options.names = {};
  options.progress = [this](double share, const char*) {
    if (!options_.progress) return;
    const size_t done = done_;
    const double all = (static_cast<double>(done) + share) / static_cast<double>(files_.size());
    options_.progress(all, fmt::format("rank {} of {}", done + 1, files_.size()).c_str());
  };
  FileResult& result = results_[i];
  Result<std::unique_ptr<Study>> study = Study::Open({files_[i]}, std::move(options));
  ++done_;
  if (!study) {
    result.error = std::move(study.error());
    return;
  }
  size_t bytes = 0;
  for (size_t t = 0; t < (*study)->size(); ++t) {
    result.digests.push_back(DigestOf((*study)->linked(t), (*study)->report(t)));
    result.collectives.push_back(CollectivesOfRank((*study)->linked(t)));
    bytes += (*study)->trace(t).slices.size() * kBytesPerSpan;
  }
  if (kept_.fetch_add(bytes) + bytes <= keep_bytes_) result.study = std::move(*study);
}

Result<ReadJobs> ManyReader::Join() {
  ReadJobs jobs;
  std::vector<RankDigest> digests;
  for (FileResult& result : results_) {
    if (result.error) jobs.failed.push_back(std::move(*result.error));
    for (size_t t = 0; t < result.digests.size(); ++t) {
      digests.push_back(std::move(result.digests[t]));
      jobs.collectives.push_back(std::move(result.collectives[t]));
      jobs.studies.push_back(result.study);
      jobs.traces.push_back(t);
    }
  }
  if (digests.empty()) {
    if (!jobs.failed.empty()) return std::unexpected(jobs.failed.front());
    return Fail(ErrorCode::kUsage, Say("read.nothing"), {}, Say("read.give-file"));
  }
  jobs.report = AnalyzeJobs(std::move(digests));
  return jobs;
}

}  // namespace

Result<ReadJobs> ReadManyJobs(const std::vector<std::string>& files, const StudyOptions& options,
                              size_t keep_bytes) {
  return ManyReader(files, options, keep_bytes).Run();
}

Result<RankReport> ReportAgain(const ReadJobs& read, size_t digest, const StudyOptions& options) {
  RankReport report{read.studies[digest], {}, {}};
  if (report.study == nullptr) {
    Result<std::unique_ptr<Study>> opened =
        Study::Open({read.report.digests[digest].path}, options);
    if (!opened) return std::unexpected(std::move(opened.error()));
    report.study = std::move(*opened);
  }
  Given given;
  for (const Job& job : read.report.jobs) {
    const auto own = std::ranges::find(job.members, digest);
    if (own == job.members.end()) continue;
    given.own_rank = static_cast<size_t>(own - job.members.begin());
    for (const size_t member : job.members) given.ranks.push_back(&read.collectives[member]);
  }
  report.advice = report.study->Advise({.only = {}, .ignored = options.settings.ignored}, given);
  report.reported = report.study->ReportedWith(report.advice)[read.traces[digest]];
  return report;
}

std::vector<std::string> ProfilesAmong(const std::vector<FoundFile>& found) {
  const auto known = [](const FoundFile& file) {
    return file.type == FileType::kRecording || ReaderOf(file.type) != nullptr;
  };
  std::set<std::string> ranks;  // their paths without the rank
  for (const FoundFile& file : found) {
    const RankInPath path = RankOfPath(file.path);
    if (known(file) && path.rank) ranks.insert(path.rest);
  }
  std::vector<std::string> files;
  for (const FoundFile& file : found) {
    const RankInPath path = RankOfPath(file.path);
    const bool rank = path.rank && ranks.contains(path.rest);
    if (file.named || known(file) || rank) files.push_back(file.path);
  }
  return files;
}

}  // namespace stepscope
