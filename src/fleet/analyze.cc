#include "fleet/analyze.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "fleet/batch.h"
#include "words/fleet.h"
#include "words/system_reason.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

Result<void> MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kCannotWrite, Say("fleet.cannot-make", SystemReason(error.value())),
              folder, Say("fleet.other-out"));
}

uint64_t SizeOf(const ListedPath& listed) {
  return static_cast<uint64_t>(std::max<int64_t>(listed.bytes.value_or(0), 0));
}

// Files that are a large part of all come first and get their part of the threads, so that none of
// them is waited for alone at the end. Else batch by batch, in a batch the largest first.
std::vector<FileJob> OrderOf(std::span<const ListedPath> paths, size_t batch, unsigned workers) {
  double total = 0;
  for (const ListedPath& listed : paths) total += static_cast<double>(SizeOf(listed));
  const auto large = [&](size_t i) {
    return static_cast<double>(SizeOf(paths[i])) * 4 * workers > total;
  };
  std::vector<FileJob> jobs;
  for (size_t i = 0; i < paths.size(); ++i) {
    const double share = total > 0 ? static_cast<double>(SizeOf(paths[i])) / total : 0;
    const auto threads = static_cast<unsigned>(std::lround(share * workers));
    jobs.push_back({i, std::clamp(threads, 1U, workers)});
  }
  std::ranges::sort(jobs, [&](const FileJob& a, const FileJob& b) {
    if (large(a.index) != large(b.index)) return large(a.index);
    if (!large(a.index) && a.index / batch != b.index / batch) return a.index < b.index;
    if (SizeOf(paths[a.index]) != SizeOf(paths[b.index])) {
      return SizeOf(paths[a.index]) > SizeOf(paths[b.index]);
    }
    return a.index < b.index;
  });
  return jobs;
}

void Count(Status status, Counts& counts) {
  ++counts.done;
  switch (status) {
    case Status::kOk:
      ++counts.ok;
      break;
    case Status::kPartial:
      ++counts.partial;
      break;
    case Status::kFailed:
      ++counts.failed;
      break;
  }
}

// What paths say, then their names in the tables.
void NameAll(const AnalyzeOptions& options, std::vector<ListedPath>& paths) {
  const auto key =
      options.name_key.empty() ? nullptr : std::make_shared<const std::string>(options.name_key);
  for (ListedPath& listed : paths) {
    if (options.pattern) (void)options.pattern->Match(listed.path, listed.facts);
    if (key) HashNames(key, listed);
  }
}

}  // namespace

Result<Counts> AnalyzeFleet(std::vector<ListedPath> paths, const AnalyzeOptions& options,
                            const std::stop_token& stop,
                            const std::function<void(const Counts&)>& progress) {
  if (Result<void> made = MakeFolder(options.directory); !made) {
    return std::unexpected(made.error());
  }
  const Result<Manifest> manifest = Manifest::Read(options.directory, NameOf(options.format));
  if (!manifest) return std::unexpected(manifest.error());
  NameAll(options, paths);
  Counts counts;
  counts.skipped = std::erase_if(
      paths, [&](const ListedPath& listed) { return manifest->Has(listed, options.again); });
  counts.all = paths.size();
  std::vector<Batch> batches;
  for (size_t first = 0; first < paths.size(); first += options.batch) {
    batches.emplace_back(paths, first, std::min(options.batch, paths.size() - first), options);
  }
  // One thread: workers are forked while it lives.
  TaskPool pool(1);
  const auto done = [&](FileResult result) -> Result<void> {
    Count(result.status, counts);
    Batch& batch = batches[result.index / options.batch];
    batch.Add(std::move(result));
    if (batch.complete()) {
      if (Result<void> written = batch.Write(options, pool); !written) return written;
      ++counts.batches;
    }
    progress(counts);
    return {};
  };
  const std::vector<FileJob> jobs = OrderOf(paths, options.batch, options.limits.workers);
  if (Result<void> read = ReadInWorkers(paths, jobs, options.limits, stop, done); !read) {
    return std::unexpected(read.error());
  }
  return counts;
}

}  // namespace stepscope::fleet
