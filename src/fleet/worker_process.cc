#include "fleet/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "base/memory_limit.h"
#include "fleet/row_block.h"
#include "fleet/rows_of_file.h"
#include "words/fleet.h"
#include "words/system_reason.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;
constexpr int kExitWithoutMemory = 77;

struct Request {
  uint64_t index = 0;
  uint32_t threads = 1;
};
struct Header {
  uint64_t bytes = 0;
  int64_t took_ns = 0;
  Status status = Status::kOk;
};

bool ReadAll(int from, void* into, size_t bytes) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = read(from, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int to, const void* bytes, size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t put = write(to, at, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    count -= static_cast<size_t>(put);
  }
  return true;
}

void ReadFiles(std::span<const ListedPath> paths, int from, int to) {
  Request request;
  while (ReadAll(from, &request, sizeof request)) {
    const auto begin = WorkerProcess::Clock::now();
    const FileRows rows = RowsOfFile(paths[request.index], request.threads);
    const std::string block = EncodeRows(rows);
    const std::chrono::nanoseconds took = WorkerProcess::Clock::now() - begin;
    const Header header{block.size(), took.count(), rows.profiles.front().status};
    if (!WriteAll(to, &header, sizeof header)) return;
    if (!WriteAll(to, block.data(), block.size())) return;
  }
}

[[noreturn]] void RunWorker(std::span<const ListedPath> paths, uint64_t memory, int from, int to) {
  // What the parent already holds does not count against the file.
  if (memory > 0) LimitMemory(MemoryInUse() + memory);
  std::set_new_handler([] { _exit(kExitWithoutMemory); });
  try {
    ReadFiles(paths, from, to);
  } catch (const std::bad_alloc&) {
    _exit(kExitWithoutMemory);
  } catch (const std::system_error&) {
    _exit(kExitWithoutMemory);  // a thread that could not be started for want of a stack
  }
  _exit(0);
}

std::unexpected<Error> CannotStart(int error) {
  return Fail(ErrorCode::kCannotRead, Say("fleet.no-worker", SystemReason(error)), {},
              Say("fleet.fewer-workers"));
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};

  bool Open() { return pipe2(ends.data(), O_CLOEXEC) == 0; }
  int Release(size_t end) { return std::exchange(ends[end], -1); }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
};

}  // namespace

Result<WorkerProcess> WorkerProcess::Start(std::span<const ListedPath> paths, uint64_t memory) {
  Pipe requests, answers;
  if (!requests.Open() || !answers.Open()) return CannotStart(errno);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return CannotStart(errno);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it ended before the line above
    // So that the worker sees the end of its requests when the parent closes them.
    close(requests.Release(1));
    close(answers.Release(0));
    RunWorker(paths, memory, requests.ends[0], answers.ends[1]);
  }
  fcntl(answers.ends[0], F_SETFL, O_NONBLOCK);
  return WorkerProcess(pid, requests.Release(1), answers.Release(0));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)),
      job_(std::exchange(other.job_, std::nullopt)),
      since_(other.since_),
      files_(other.files_),
      received_(std::move(other.received_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(to_, other.to_);
  std::swap(from_, other.from_);
  std::swap(job_, other.job_);
  std::swap(since_, other.since_);
  std::swap(files_, other.files_);
  std::swap(received_, other.received_);
  return *this;
}

WorkerProcess::~WorkerProcess() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (pid_ < 0) return;
  Kill();
  Reap();
}

bool WorkerProcess::Give(const FileJob& job) {
  const Request request{job.index, job.threads};
  job_ = job;
  since_ = Clock::now();
  ++files_;
  received_.clear();
  return WriteAll(to_, &request, sizeof request);
}

WorkerProcess::Read WorkerProcess::Take(FileResult& result) {
  std::array<char, 1 << 16> block;
  while (true) {
    const ssize_t got = read(from_, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? Read::kMore : Read::kGone;
    if (got == 0) return Read::kGone;
    received_.append(block.data(), static_cast<size_t>(got));
    Header header;
    if (received_.size() < sizeof header) continue;
    std::memcpy(&header, received_.data(), sizeof header);
    if (received_.size() - sizeof header < header.bytes) continue;
    result = {job_->index, received_.substr(sizeof header), {header.took_ns}, header.status};
    job_.reset();
    return Read::kDone;
  }
}

WorkerProcess::End WorkerProcess::Reap() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.out_of_memory = WEXITSTATUS(status) == kExitWithoutMemory,
          .exit_code = WEXITSTATUS(status)};
}

void WorkerProcess::Kill() { kill(pid_, SIGKILL); }

}  // namespace stepscope::fleet
