#include "record/process_recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <utility>

#include "base/ids.h"
#include "record/proc_files.h"
#include "words/loss.h"

namespace stepscope {
namespace {

constexpr SayFrom<kLossTexts> Say;

constexpr int64_t kMillisecond = 1'000'000;
// A sample stands for the time since the one before, but a stopped machine is not the program's.
constexpr int64_t kMostWeight = 500 * kMillisecond;

std::string ExecutableOf(pid_t pid) {
  char path[PATH_MAX];
  const ssize_t length = readlink(fmt::format("/proc/{}/exe", pid).c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
}

// Which rank a process is, as its launcher tells it. No other variables are ever recorded.
std::string RankOf(pid_t pid) {
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    std::string value = VariableOf(pid, name);
    const bool digits =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return value;
  }
  return {};
}

std::string HostName() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

ProcessRecorder::ProcessRecorder(pid_t pid, int64_t start_ticks, std::string directory,
                                 bool is_program)
    : pid_(pid),
      start_ticks_(start_ticks),
      directory_(std::move(directory)),
      is_program_(is_program),
      counters_(pid) {}

bool ProcessRecorder::Open() {
  if (writer_) return writer_->is_open();
  if (cannot_open_) return false;
  const std::string rank = RankOf(pid_);
  const std::string front =
      rank.empty() ? fmt::format("process-{}", pid_) : fmt::format("rank{}-{}", rank, pid_);
  RecordingWriter writer;
  bool opened = writer.Open(fmt::format("{}/{}-samples.ssrec", directory_, front));
  // A number of a process that ended is used again in long jobs.
  if (!opened) {
    opened = writer.Open(fmt::format("{}/{}-{}-samples.ssrec", directory_, front, start_ticks_));
  }
  if (!opened) {
    cannot_open_ = true;
    return false;
  }
  writer_.emplace(std::move(writer));
  writer_->Fact("pid", fmt::format("{}", pid_));
  writer_->Fact("host", HostName());
  if (!rank.empty()) writer_->Fact("rank", rank);
  if (const std::optional<ProcessTimes> times = TimesOf(fmt::format("/proc/{}/stat", pid_))) {
    writer_->Fact("parent", fmt::format("{}", times->parent));
  }
  writer_->Clock();
  return true;
}

void ProcessRecorder::LookForPython(int64_t now) {
  constexpr int64_t kPatience = 10'000 * kMillisecond, kOften = 20 * kMillisecond,
                    kSeldom = 1000 * kMillisecond;
  std::string executable = ExecutableOf(pid_);
  if (executable != executable_) {
    executable_ = std::move(executable);
    python_.reset();
    unsupported_ = false;
    looked_ = 0;
  }
  if (python_ || unsupported_ || executable_.empty()) return;
  static const int64_t started = now;
  if (now - looked_ < (now - started < kPatience ? kOften : kSeldom)) return;
  looked_ = now;
  if (PythonProcess::Find(pid_, python_, version_) != PythonProcess::Attempt::kUnsupported) return;
  unsupported_ = true;
  if (Open()) {
    writer_->Missing(version_.empty() ? Say("loss.unknown-python")
                                      : Say("loss.other-python", version_));
  }
}

void ProcessRecorder::SampleStacks(int64_t now) {
  if (!python_) return;
  const bool read = python_->Sample(threads_);
  if (!read && python_->refused() && !refused_ && Open()) {
    refused_ = true;
    writer_->Missing(Say("loss.no-ptrace"));
  }
  if (!read && !refused_) python_.reset();  // not begun yet, or another program since exec
  if (refused_ || threads_.empty() || !Open()) return;
  const int64_t weight = sampled_ == 0 ? 0 : std::min(now - sampled_, kMostWeight);
  sampled_ = now;
  for (const SampledThread& thread : threads_) {
    if (thread.lines.front().file->ends_with("/_stepscope_hook.py")) continue;  // our own thread
    uint32_t stack = kNoRow;
    for (const SampledLine& line : thread.lines) {
      stack = writer_->Stack(stack, *line.function, *line.file, line.line);
    }
    const bool main = thread.thread == static_cast<uint64_t>(pid_);
    bool waiting = false;
    if (thread.native && !main) {
      const std::optional<ProcessTimes> times =
          TimesOf(fmt::format("/proc/{}/task/{}/stat", pid_, thread.thread));
      waiting = times && times->state == 'S';
    }
    writer_->Sample(now, weight, thread.thread, stack, waiting);
  }
}

void ProcessRecorder::SampleCounters(int64_t now) {
  // Children that are no Python are the program's helpers: their counters tell little.
  if ((!is_program_ && !python_) || !Open()) return;
  counters_.Sample(now, *writer_);
}

void ProcessRecorder::SampleThreads(int64_t now) {
  if ((!is_program_ && !python_) || !Open()) return;
  counters_.SampleThreads(now, *writer_);
  writer_->Clock();
}

void ProcessRecorder::Flush() {
  if (writer_) writer_->Flush();
}

}  // namespace stepscope
