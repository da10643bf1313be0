#include "tools/tune/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/diagnostics.h"
#include "diff/statistics.h"
#include "read/recording/recording_file.h"
#include "record/recorder.h"

namespace stepscope::tune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOverruled = "overruled.", kLost = "lost.";
constexpr size_t kFewestSteps = 5;

// The first steps compile, allocate and fill caches: a fifth of them, at most ten, do not count.
std::optional<int64_t> MedianStep(const std::vector<RecordedStep>& steps) {
  const size_t skipped = std::min<size_t>(10, steps.size() / 5);
  if (steps.size() < skipped + kFewestSteps) return std::nullopt;
  std::vector<int64_t> durations;
  for (size_t i = skipped; i < steps.size(); ++i) durations.push_back(steps[i].duration.ns);
  return diff::MedianOf(std::move(durations));
}

void TakeFacts(const recording::RecordingFile& file, Measured& measured) {
  for (const auto& [key, value] : file.facts) {
    if (key.starts_with(kOverruled)) measured.overruled[key.substr(kOverruled.size())] = value;
    if (key.starts_with(kLost)) measured.lost[key.substr(kLost.size())] = value;
    if (key == "framework" && measured.framework.empty()) measured.framework = value;
  }
}

// The process with the lowest rank that has steps stands for the job.
void ReadSteps(const std::string& directory, Measured& measured) {
  std::error_code error;
  int64_t best_rank = 0;
  for (fs::directory_iterator at(directory, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (!at->path().filename().string().ends_with("-steps.ssrec")) continue;
    Diagnostics ignored;
    const Result<recording::RecordingFile> file =
        recording::ReadRecordingFile(at->path().string(), ignored);
    if (!file) continue;
    TakeFacts(*file, measured);
    const std::optional<int64_t> step = MedianStep(file->steps);
    const int64_t rank = file->NumberOf("rank", 0);
    if (!step || (measured.step_ns && rank >= best_rank)) continue;
    best_rank = rank;
    measured.step_ns = step;
    measured.steps = file->steps.size();
  }
}

std::string NamesOf(const Setting& setting) {
  std::string names;
  for (const auto& [variable, value] : setting.variables) {
    if (!names.empty()) names += ',';
    names += variable;
  }
  return names;
}

}  // namespace

Result<Measured> Measure(const MeasureOptions& options, const Setting& setting, int64_t number,
                         int& exit_code) {
  const Result<std::string> directory =
      MakeRunDirectory((fs::path(options.folder) / fmt::format("run-{:03}", number)).string());
  if (!directory) return std::unexpected(directory.error());
  RecordOptions record{.command = options.command,
                       .directory = *directory,
                       .window = "never=1;",
                       .variables = setting.variables,
                       .hook = true,
                       .native = false,
                       .samples = false,
                       .output = *directory + "/output.txt",
                       .limit_ns = options.limit_ns};
  record.variables.emplace_back("STEPSCOPE_TUNE", NamesOf(setting));
  const Result<RecordedRun> run = Record(record, exit_code);
  if (!run) return std::unexpected(run.error());
  Measured measured{.run_ns = run->duration_ns,
                    .exit_code = run->exit_code,
                    .signal = run->signal,
                    .cut = run->cut,
                    .output = record.output};
  ReadSteps(*directory, measured);
  return measured;
}

}  // namespace stepscope::tune
