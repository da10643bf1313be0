#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "fleet/file_job.h"
#include "fleet/listed_path.h"

namespace stepscope::fleet {

struct WorkerLimits {
  unsigned workers = 1;
  DurationNs time_per_file{120'000'000'000};
  uint64_t memory_per_file = 0;  // bytes; 0: what the machine allows
};

// Reads paths in processes of their own, `workers` at a time, in the order of the jobs: a file that
// crashes its reader, takes too long or needs too much memory costs that process and becomes a
// failed row. Workers are forks of this process and take one file after the other; the caller must
// not run threads that hold locks. `done` gets every job once, in the order in which they end.
// Ends early with kInterrupted when asked to stop.
Result<void> ReadInWorkers(std::span<const ListedPath> paths, std::span<const FileJob> jobs,
                           const WorkerLimits& limits, const std::stop_token& stop,
                           const std::function<Result<void>(FileResult)>& done);

}  // namespace stepscope::fleet
