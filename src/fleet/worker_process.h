#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "fleet/file_job.h"
#include "fleet/listed_path.h"

namespace stepscope::fleet {

// A fork of this process that reads files it is told by number and sends back their rows. It ends
// with its parent, and is killed when the object goes.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<WorkerProcess> Start(std::span<const ListedPath> paths, uint64_t memory);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  // False when it is gone.
  bool Give(const FileJob& job);
  bool busy() const { return job_.has_value(); }
  const FileJob& job() const { return *job_; }
  Clock::time_point since() const { return since_; }
  int descriptor() const { return from_; }
  // Whether it has read so many files that a fresh one is better: memory stays flat.
  bool worn() const { return files_ >= kFilesPerWorker; }

  enum class Read : uint8_t { kMore, kDone, kGone };
  // Takes what has arrived; kDone: `result` is complete and the worker is free again.
  Read Take(FileResult& result);
  // After kGone: why.
  struct End {
    bool out_of_memory = false;
    int signal = 0;
    int exit_code = 0;
  };
  End Reap();
  void Kill();

 private:
  static constexpr uint32_t kFilesPerWorker = 200;

  WorkerProcess(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}

  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::optional<FileJob> job_;
  Clock::time_point since_;
  uint32_t files_ = 0;
  std::string received_;
};

}  // namespace stepscope::fleet
