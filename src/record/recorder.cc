#include "record/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "read/recording/recording.h"
#include "record/child.h"
#include "record/gpu_counters.h"
#include "record/hook_files.h"
#include "record/proc_files.h"
#include "record/process_recorder.h"
#include "record/window_watch.h"
#include "words/loss.h"
#include "words/record.h"

namespace stepscope {
namespace {

constexpr SayFrom<kRecordTexts, kLossTexts> Say;

namespace fs = std::filesystem;

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kStackPeriod = 10 * kMillisecond;
constexpr int64_t kFlushPeriod = 200 * kMillisecond;

// "python3 train.py": base names, without arguments, which may hold secrets.
std::string ProgramName(const std::vector<std::string>& command) {
  std::string name = fs::path(command[0]).filename().string();
  for (const std::string& word : command) {
    if (&word != &command[0] && word.ends_with(".py")) {
      return name + " " + fs::path(word).filename().string();
    }
  }
  return name;
}

// Something that is due every so often.
class Every {
 public:
  explicit Every(int64_t period) : period_(period) {}
  bool IsDue(int64_t now) {
    if (now < next_) return false;
    next_ = now + period_;
    return true;
  }

 private:
  int64_t period_, next_ = 0;
};

std::string VisibleGpus(const RecordOptions& options) {
  for (const auto& [name, value] : options.variables) {
    if (name == "CUDA_VISIBLE_DEVICES") return value;
  }
  const char* given = std::getenv("CUDA_VISIBLE_DEVICES");
  return given == nullptr ? std::string() : given;
}

class Recorder {
 public:
  Recorder(const RecordOptions& options, Child& child)
      : options_(options), child_(child), started_(MonotonicNs()) {
    job_.Open(options.directory + "/" + std::string(recording::kJobFile));
    job_.Fact("pid", fmt::format("{}", child.pid()));
    job_.Fact("program", ProgramName(options.command));
    job_.Clock();
    job_.Flush();
    if (options.samples) gpus_.emplace(options.directory, child.pid(), VisibleGpus(options));
  }

  void Missing(const Messages& sentence) { job_.Missing(sentence); }

  RecordedRun Run() {
    int64_t next = started_;
    while (true) {
      const int64_t now = MonotonicNs();
      next = std::max(next + (options_.samples ? kStackPeriod : kFlushPeriod), now);
      const int64_t wait = (next - now) / kMillisecond;
      if (child_.WaitFor(static_cast<int>(wait))) break;
      if (options_.samples) Tick(MonotonicNs());
      if (options_.limit_ns > 0) EndAfterLimit(MonotonicNs() - started_);
    }
    return Finish();
  }

 private:
  // Asks first: a program may have something to save.
  void EndAfterLimit(int64_t elapsed) {
    constexpr int64_t kPatience = 5000 * kMillisecond;
    if (elapsed < options_.limit_ns) return;
    if (!cut_) child_.Send(SIGTERM);
    cut_ = true;
    if (elapsed > options_.limit_ns + kPatience) child_.Send(SIGKILL);
  }

  void Tick(int64_t now) {
    // New processes are looked for often at first: a short program must not end unseen.
    const bool young = now - started_ < 2000 * kMillisecond;
    if (young || scan_.IsDue(now)) FindProcesses();
    for (auto& [pid, process] : processes_) {
      process->LookForPython(now);
      process->SampleStacks(now);
    }
    if (counters_.IsDue(now)) SampleCounters(now);
    if (flush_.IsDue(now)) {
      for (auto& [pid, process] : processes_) process->Flush();
    }
    if (clock_.IsDue(now)) job_.Clock();
    if (options_.on_window && !window_said_ && window_.IsDue(now)) SayWindow();
  }

  void SayWindow() {
    const std::optional<RecordingWindow> window = FindWindow(options_.directory);
    if (!window) return;
    window_said_ = true;
    options_.on_window(LineOf(*window));
  }

  void FindProcesses() {
    std::map<pid_t, std::unique_ptr<ProcessRecorder>> alive;
    for (const pid_t pid : ProcessTree(child_.pid())) {
      const std::optional<ProcessTimes> times = TimesOf(fmt::format("/proc/{}/stat", pid));
      if (!times || times->state == 'Z') continue;
      auto known = processes_.find(pid);
      if (known != processes_.end() && known->second->start_ticks() == times->start_ticks) {
        alive[pid] = std::move(known->second);
      } else {
        alive[pid] = std::make_unique<ProcessRecorder>(pid, times->start_ticks, options_.directory,
                                                       pid == child_.pid());
      }
    }
    for (const auto& [pid, process] : processes_) {
      if (process) NoteError(*process);
    }
    processes_ = std::move(alive);
  }

  void SampleCounters(int64_t now) {
    const bool threads = threads_.IsDue(now);
    for (auto& [pid, process] : processes_) {
      process->SampleCounters(now);
      if (threads) process->SampleThreads(now);
    }
    const auto program = processes_.find(child_.pid());
    if (program != processes_.end() && program->second->writer() != nullptr) {
      machine_.Sample(now, *program->second->writer());
    }
  }

  void NoteError(ProcessRecorder& process) {
    const RecordingWriter* writer = process.writer();
    if (writer != nullptr && !writer->error().empty()) error_ = writer->error();
  }

  RecordedRun Finish() {
    gpus_.reset();
    for (auto& [pid, process] : processes_) {
      process->Flush();
      NoteError(*process);
    }
    processes_.clear();
    job_.Clock();
    if (!error_.empty()) {
      job_.Missing(Say("loss.not-whole", error_));
    }
    job_.End(MonotonicNs(), child_.exit_code(), child_.signal());
    if (error_.empty()) error_ = job_.error();
    return {.exit_code = child_.exit_code(),
            .signal = child_.signal(),
            .shell_code = child_.shell_code(),
            .duration_ns = MonotonicNs() - started_,
            .cut = cut_,
            .write_error = error_};
  }

  const RecordOptions& options_;
  Child& child_;
  int64_t started_;
  RecordingWriter job_;
  std::map<pid_t, std::unique_ptr<ProcessRecorder>> processes_;
  MachineCounters machine_;
  std::optional<GpuCounters> gpus_;
  Every scan_{100 * kMillisecond}, counters_{100 * kMillisecond}, threads_{500 * kMillisecond},
      flush_{kFlushPeriod}, clock_{1000 * kMillisecond}, window_{500 * kMillisecond};
  bool window_said_ = false;
  std::string error_;
  bool cut_ = false;
};

std::string WithHookFirst(const std::string& folder) {
  const char* before = std::getenv("PYTHONPATH");
  return before == nullptr || *before == '\0' ? folder : folder + ":" + before;
}

void AddVariables(const RecordOptions& options, const HookFolder& folder,
                  std::vector<std::pair<std::string, std::string>>& variables) {
  std::error_code ignored;
  variables.emplace_back("STEPSCOPE_RECORD_DIR", fs::absolute(options.directory, ignored).string());
  // Another tool's injection stays: two of them would fight for the GPU.
  const bool taken = std::getenv("CUDA_INJECTION64_PATH") != nullptr;
  if (options.native && !taken && !folder.library().empty()) {
    variables.emplace_back("CUDA_INJECTION64_PATH", folder.library());
    variables.emplace_back("NVTX_INJECTION64_PATH", folder.library());
  }
  if (!options.hook) return;
  variables.emplace_back("PYTHONPATH", WithHookFirst(folder.path()));
  variables.emplace_back("STEPSCOPE_RECORD_WINDOW", options.window);
  // Kineto keeps CUPTI after a window unless it is told to give it back: 17 to 33 % of a step.
  if (std::getenv("TEARDOWN_CUPTI") == nullptr) variables.emplace_back("TEARDOWN_CUPTI", "1");
  // It also prints lines about its windows, which the program would not print by itself.
  if (std::getenv("KINETO_LOG_LEVEL") == nullptr) variables.emplace_back("KINETO_LOG_LEVEL", "99");
}

}  // namespace

Result<RecordedRun> Record(const RecordOptions& options, int& exit_code) {
  std::vector<std::pair<std::string, std::string>> variables = options.variables;
  std::optional<HookFolder> hook;
  std::string without_hook;
  IgnoreFileSizeLimit();
  if (options.hook || options.native) {
    Result<HookFolder> made = HookFolder::Make();
    if (made) {
      hook.emplace(std::move(*made));
    } else {
      without_hook = InEnglish(made.error().sentence);
    }
  }
  if (hook) AddVariables(options, *hook, variables);
  Result<Child> child = Child::Start(options.command, variables, options.output, exit_code);
  if (!child) return std::unexpected(child.error());
  Recorder recorder(options, *child);
  if (!without_hook.empty()) {
    recorder.Missing(Say("loss.no-hook", without_hook));
  }
  return recorder.Run();
}

Result<std::string> MakeRunDirectory(const std::string& wanted) {
  std::error_code error;
  if (!wanted.empty()) {
    if (fs::exists(wanted, error) &&
        (!fs::is_directory(wanted, error) || !fs::is_empty(wanted, error))) {
      return Fail(ErrorCode::kUsage, Say("record.not-empty"), wanted, Say("record.new-directory"));
    }
    fs::create_directories(wanted, error);
    if (error) {
      return Fail(ErrorCode::kCannotWrite, Say("record.cannot-make", error.message()), wanted,
                  Say("record.writable"));
    }
    return wanted;
  }
  constexpr int kMost = 10'000;
  const fs::path temporary = fs::temp_directory_path(error);
  for (const fs::path& parent : {fs::path(), temporary}) {
    for (int number = 1; number < kMost; ++number) {
      const std::string name =
          number == 1 ? "stepscope-run" : fmt::format("stepscope-run-{}", number);
      if (fs::create_directory(parent / name, error)) return (parent / name).string();
      if (error) break;  // this place cannot be written
    }
  }
  return Fail(ErrorCode::kCannotWrite, Say("record.nowhere"), {}, Say("record.writable"));
}

}  // namespace stepscope
