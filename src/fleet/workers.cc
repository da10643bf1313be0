#include "fleet/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "fleet/row_block.h"
#include "fleet/rows_of_file.h"
#include "fleet/worker_process.h"
#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;
constexpr std::chrono::milliseconds kLookAround{100};  // for a wish to stop

// Rows hold English, as all tables do.
FileResult Failed(const ListedPath& listed, const FileJob& job, FailureCode code,
                  const Message& why, DurationNs took) {
  const FileRows rows = FailedRows(listed, code, InEnglish(why));
  return {job.index, EncodeRows(rows), took, Status::kFailed};
}

// A worker that died is noticed by what it does not answer, not by a signal.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() : before_(signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutPipeSignal() { signal(SIGPIPE, before_); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  void (*const before_)(int);
};

class Crew {
 public:
  Crew(std::span<const ListedPath> paths, std::span<const FileJob> jobs, const WorkerLimits& limits,
       const std::function<Result<void>(FileResult)>& done)
      : paths_(paths), jobs_(jobs), limits_(limits), done_(done) {}

  Result<void> Work(const std::stop_token& stop) {
    while (next_ < jobs_.size() || !workers_.empty()) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kInterrupted, Say("fleet.interrupted"), {},
                    Say("fleet.interrupted.next"));
      }
      if (Result<void> hired = Hire(); !hired) return hired;
      if (Result<void> heard = Listen(); !heard) return heard;
    }
    return {};
  }

 private:
  Result<void> Hire() {
    while (next_ < jobs_.size() && workers_.size() < limits_.workers) {
      Result<WorkerProcess> worker = WorkerProcess::Start(paths_, limits_.memory_per_file);
      if (!worker) return std::unexpected(worker.error());
      // One that cannot be given its job is heard as gone.
      (void)worker->Give(jobs_[next_++]);
      workers_.push_back(std::move(*worker));
    }
    return {};
  }

  Result<void> Listen() {
    std::vector<pollfd> ears;
    for (const WorkerProcess& worker : workers_) ears.push_back({worker.descriptor(), POLLIN, 0});
    poll(ears.data(), ears.size(), static_cast<int>(kLookAround.count()));
    for (size_t i = ears.size(); i-- > 0;) {  // from the end: workers leave
      if (Result<void> heard = Hear(i, ears[i].revents != 0); !heard) return heard;
    }
    return {};
  }

  Result<void> Hear(size_t at, bool something) {
    WorkerProcess& worker = workers_[at];
    if (something) {
      FileResult result;
      switch (worker.Take(result)) {
        case WorkerProcess::Read::kDone: {
          const bool goes_on = next_ < jobs_.size() && !worker.worn();
          if (goes_on) {
            (void)worker.Give(jobs_[next_++]);
          } else {
            Dismiss(at);
          }
          return done_(std::move(result));
        }
        case WorkerProcess::Read::kGone:
          return Bury(at);
        case WorkerProcess::Read::kMore:
          break;
      }
    }
    if (Took(worker) < limits_.time_per_file) return {};
    const FileJob job = worker.job();
    const DurationNs took = Took(worker);
    Dismiss(at);
    return done_(Failed(paths_[job.index], job, FailureCode::kTimeout,
                        Say("fleet.timeout", limits_.time_per_file), took));
  }

  // A worker that ended in the middle of a file.
  Result<void> Bury(size_t at) {
    WorkerProcess& worker = workers_[at];
    const FileJob job = worker.job();
    const DurationNs took = Took(worker);
    const WorkerProcess::End end = worker.Reap();
    Dismiss(at);
    const ListedPath& listed = paths_[job.index];
    if (end.out_of_memory) {
      return done_(
          Failed(listed, job, FailureCode::kOutOfMemory, Say("fleet.out-of-memory"), took));
    }
    const Message why = end.signal != 0 ? Say("fleet.killed", std::string(strsignal(end.signal)))
                                        : Say("fleet.ended", end.exit_code);
    return done_(Failed(listed, job, FailureCode::kCrashed, why, took));
  }

  void Dismiss(size_t at) { workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(at)); }

  static DurationNs Took(const WorkerProcess& worker) {
    return {std::chrono::nanoseconds(WorkerProcess::Clock::now() - worker.since()).count()};
  }

  const std::span<const ListedPath> paths_;
  const std::span<const FileJob> jobs_;
  const WorkerLimits& limits_;
  const std::function<Result<void>(FileResult)>& done_;
  std::vector<WorkerProcess> workers_;
  size_t next_ = 0;
};

}  // namespace

Result<void> ReadInWorkers(std::span<const ListedPath> paths, std::span<const FileJob> jobs,
                           const WorkerLimits& limits, const std::stop_token& stop,
                           const std::function<Result<void>(FileResult)>& done) {
  const WithoutPipeSignal quiet;
  return Crew(paths, jobs, limits, done).Work(stop);
}

}  // namespace stepscope::fleet
