#include "read/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/message_saying.h"
#include "read/recording/format.h"
#include "read/recording/recorded_trace.h"
#include "words/loss.h"
#include "words/quality.h"

namespace stepscope::recording {
namespace {

constexpr SayFrom<kQualityTexts> Say;

namespace fs = std::filesystem;

// All that was recorded of one process, from its files together.
struct RecordedProcess {
  RecordingFile file;
  Diagnostics diagnostics;
};

template <typename T>
void MoveInto(std::vector<T>& from, std::vector<T>& into) {
  into.insert(into.end(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
}

// Up to three writers see a process: the recorder (samples, counters), the hook in it (steps,
// profiles) and the library that CUDA loads (kernels, copies, calls). Each numbers its own strings.
void Join(RecordingFile from, RecordingFile& into) {
  into.facts.merge(from.facts);
  MoveInto(from.profiles, into.profiles);
  MoveInto(from.missing, into.missing);
  MoveInto(from.steps, into.steps);
  MoveInto(from.losses, into.losses);
  const auto strings = static_cast<uint32_t>(into.strings.size());
  const auto lines = static_cast<uint32_t>(into.lines.size());
  const auto stacks = static_cast<uint32_t>(into.stacks.size());
  for (Counter& counter : from.counters) {
    counter.name += strings;
    counter.series += strings;
  }
  for (PythonStack& stack : from.stacks) {
    stack.line += lines;
    if (stack.caller != kNoRow) stack.caller += stacks;
  }
  for (PythonSample& sample : from.samples) sample.stack += stacks;
  from.device_rows.ShiftNames(strings);
  MoveInto(from.strings, into.strings);
  MoveInto(from.lines, into.lines);
  MoveInto(from.stacks, into.stacks);
  MoveInto(from.samples, into.samples);
  MoveInto(from.counters, into.counters);
  into.device_rows.Append(std::move(from.device_rows));
  if (!into.end) into.end = from.end;
  if (!into.realtime_offset) into.realtime_offset = from.realtime_offset;
  if (from.first_ns)
    into.first_ns = std::min(into.first_ns.value_or(*from.first_ns), *from.first_ns);
  if (from.last_ns) into.last_ns = std::max(into.last_ns.value_or(*from.last_ns), *from.last_ns);
  into.rows += from.rows;
  into.unusable_rows += from.unusable_rows;
  // The file of samples stands for the process.
  if (from.path.ends_with("-samples.ssrec")) into.path = from.path;
}

// A process that does the job's work: the others load data, launch or wait.
bool DoesWork(const RecordingFile& file) {
  return !file.profiles.empty() || !file.steps.empty() || !file.device_rows.empty();
}

// Counters of a helper join those of the process it works for. Its own ones become series that
// name it; those of threads, the machine and GPUs are told apart already.
void AddHelper(const RecordingFile& helper, RecordingFile& owner) {
  const std::string process = fmt::format(" (process {})", helper.NumberOf("pid", 0));
  std::map<std::string, uint32_t> rows;
  const auto row = [&](std::string text) {
    const auto [at, added] = rows.emplace(text, static_cast<uint32_t>(owner.strings.size()));
    if (added) owner.strings.push_back(std::move(text));
    return at->second;
  };
  for (Counter counter : helper.counters) {
    const std::string& name = helper.strings[counter.name];
    const std::string& series = helper.strings[counter.series];
    counter.name = row(name);
    counter.series = row(name.starts_with("process ") ? series + process : series);
    owner.counters.push_back(counter);
  }
  owner.rows += helper.counters.size();
  ++owner.helpers;
  owner.missing.insert(owner.missing.end(), helper.missing.begin(), helper.missing.end());
}

Message EndInWords(const RunEnd& end) {
  if (end.signal == 0) return Say("quality.exit-code", end.exit_code);
  const char* name = sigabbrev_np(end.signal);
  return name == nullptr ? Say("quality.signal", end.signal)
                         : Say("quality.named-signal", end.signal, name);
}

void SayHowItEnded(const RecordingFile& job, Diagnostics& diagnostics) {
  if (!job.end) {
    diagnostics.Say(Diagnostic::kProgramDied, Say("quality.no-end"));
  } else if (job.end->signal != 0 || job.end->exit_code != 0) {
    diagnostics.Say(Diagnostic::kProgramDied, EndInWords(*job.end));
  }
}

void SayWhatIsMissing(const RecordingFile& file, Diagnostics& diagnostics) {
  for (const std::string& sentence : file.missing) {
    diagnostics.Add(Diagnostic::kNotRecorded, 1, std::nullopt,
                    Messages(MessageSaying(kLossTexts, sentence)));
  }
  for (const Loss& loss : file.losses) {
    diagnostics.Add(Diagnostic::kNotRecorded, 1, std::nullopt,
                    Messages(MessageSaying(kLossTexts, loss.reason)));
  }
}

std::vector<std::string> FilesOf(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(directory, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().extension() == ".ssrec" && at->path().filename() != kJobFile) {
      files.push_back(at->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class RecordingOpener {
 public:
  RecordingOpener(const std::string& directory, const ProfileOpener& open_profile, TaskPool& pool)
      : directory_(directory), open_profile_(open_profile), pool_(pool) {}

  Result<Profile> Run() {
    Diagnostics job_diagnostics;
    Result<RecordingFile> job =
        ReadRecordingFile((fs::path(directory_) / kJobFile).string(), job_diagnostics);
    if (!job) return std::unexpected(job.error());
    ReadProcesses();
    const int64_t main_pid = job->NumberOf("pid", 0);
    HandHelpersOver();
    // The program itself first, then its children by number.
    if (const auto main = processes_.find(main_pid); main != processes_.end()) {
      main->second.file.facts.insert(job->facts.begin(), job->facts.end());
      Add(main->second);
    }
    for (auto& [pid, process] : processes_) {
      if (pid != main_pid) Add(process);
    }
    if (profile_.traces.empty()) AddJobAlone(*job);
    Diagnostics& first = profile_.diagnostics.front();
    SayHowItEnded(*job, first);
    SayWhatIsMissing(*job, first);
    first.Merge(job_diagnostics);
    for (Trace& trace : profile_.traces) {
      trace.recorded.end = job->end;
      if (trace.recorded.program.empty()) trace.recorded.program = job->facts["program"];
    }
    return std::move(profile_);
  }

 private:
  void ReadProcesses() {
    for (const std::string& path : FilesOf(directory_)) {
      Diagnostics diagnostics;
      Result<RecordingFile> file = ReadRecordingFile(path, diagnostics);
      if (!file) continue;  // its writer died before the header
      RecordedProcess& process = processes_[file->NumberOf("pid", 0)];
      process.diagnostics.Merge(diagnostics);
      if (process.file.path.empty()) {
        process.file = std::move(*file);
      } else {
        Join(std::move(*file), process.file);
      }
    }
  }

  // Where a process has steps or a profile, those without are no reports of their own.
  void HandHelpersOver() {
    const bool any = std::any_of(processes_.begin(), processes_.end(),
                                 [](const auto& entry) { return DoesWork(entry.second.file); });
    if (!any) return;
    const int64_t first = FirstWorker();
    std::erase_if(processes_, [&](auto& entry) {
      if (DoesWork(entry.second.file)) return false;
      const int64_t owner = OwnerOf(entry.second.file).value_or(first);
      AddHelper(entry.second.file, processes_.at(owner).file);
      processes_.at(owner).diagnostics.Merge(entry.second.diagnostics);
      return true;
    });
  }

  // The worker with the lowest rank.
  int64_t FirstWorker() const {
    std::optional<std::pair<int64_t, int64_t>> best;
    for (const auto& [pid, process] : processes_) {
      if (!DoesWork(process.file)) continue;
      const std::pair<int64_t, int64_t> key(process.file.NumberOf("rank", 0), pid);
      if (!best || key < *best) best = key;
    }
    return best->second;
  }

  // The nearest process above that does work.
  std::optional<int64_t> OwnerOf(const RecordingFile& helper) const {
    constexpr int kDeepest = 64;
    int64_t pid = helper.NumberOf("parent", 0);
    for (int i = 0; i < kDeepest; ++i) {
      const auto at = processes_.find(pid);
      if (at == processes_.end()) return std::nullopt;
      if (DoesWork(at->second.file)) return pid;
      pid = at->second.file.NumberOf("parent", 0);
    }
    return std::nullopt;
  }

  void Add(RecordedProcess& process) {
    RecordingFile& file = process.file;
    std::vector<std::string> profiles;
    for (const std::string& name : file.profiles) {
      const std::string path = (fs::path(directory_) / name).string();
      std::error_code ignored;
      if (fs::exists(path, ignored)) profiles.push_back(path);
    }
    if (!profiles.empty()) {
      Result<Profile> opened = open_profile_(profiles);
      if (opened) return AddProfile(std::move(*opened), process);
      const Error& error = opened.error();
      file.missing.push_back(InEnglish(Say("quality.of-file", error.file, error.sentence)));
    }
    if (file.samples.empty() && file.steps.empty() && file.device_rows.empty()) return;
    Diagnostics diagnostics;
    Trace trace = TraceOf(file, pool_, diagnostics);
    diagnostics.Merge(process.diagnostics);
    SayWhatIsMissing(file, diagnostics);
    profile_.traces.push_back(std::move(trace));
    profile_.diagnostics.push_back(std::move(diagnostics));
  }

  void AddProfile(Profile opened, const RecordedProcess& process) {
    for (size_t i = 0; i < opened.traces.size(); ++i) {
      Attach(process.file, opened.traces[i]);
      opened.traces[i].other_paths.push_back(process.file.path);
      opened.diagnostics[i].Merge(process.diagnostics);
      SayWhatIsMissing(process.file, opened.diagnostics[i]);
      profile_.traces.push_back(std::move(opened.traces[i]));
      profile_.diagnostics.push_back(std::move(opened.diagnostics[i]));
    }
  }

  // Neither Python nor a framework: counters of the program are all there is.
  void AddJobAlone(const RecordingFile& job) {
    RecordingFile file = job;
    Diagnostics diagnostics;
    if (const auto main = processes_.find(job.NumberOf("pid", 0)); main != processes_.end()) {
      file = std::move(main->second.file);
      diagnostics.Merge(main->second.diagnostics);
    }
    profile_.traces.push_back(TraceOf(file, pool_, diagnostics));
    if (file.path != job.path) SayWhatIsMissing(file, diagnostics);
    profile_.diagnostics.push_back(std::move(diagnostics));
  }

  const std::string& directory_;
  const ProfileOpener& open_profile_;
  TaskPool& pool_;
  std::map<int64_t, RecordedProcess> processes_;
  Profile profile_;
};

}  // namespace

bool IsRecording(const std::string& directory) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(directory) / kJobFile, ignored);
}

Result<Profile> OpenRecording(const std::string& directory, const ProfileOpener& open_profile,
                              TaskPool& pool) {
  return RecordingOpener(directory, open_profile, pool).Run();
}

Result<Trace> ReadRecordingSource(OpenedSource source, const OpenOptions& /*options*/,
                                  TaskPool& pool, Diagnostics& diagnostics) {
  const Result<RecordingFile> file = ReadRecordingFile(source.path, diagnostics);
  if (!file) return std::unexpected(file.error());
  Trace trace = TraceOf(*file, pool, diagnostics);
  SayWhatIsMissing(*file, diagnostics);
  return trace;
}

}  // namespace stepscope::recording
