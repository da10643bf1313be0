#include <fmt/format.h>
#include <sched.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command/durations.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "record/nvml.h"
#include "tools/tune/measure.h"
#include "tools/tune/settings.h"
#include "tools/tune/trial.h"
#include "tools/tune/tune_output.h"
#include "words/tune.h"

namespace stepscope::tune {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kVerb = "tune";
constexpr SayFrom<kTuneTexts> Say;

struct Options {
  std::vector<std::string> command, tries;
  std::string out, limit;
  int64_t runs = 0;
  double threshold = 3;
  bool quiet = false;
  OutputOptions output;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] -- PROGRAM [ARGUMENTS]", Say("tune.help.about"));
  parser.Texts("--try", "VAR=A,B", Say("tune.help.try"), &options.tries);
  parser.Integer("--runs", "N", Say("tune.help.runs"), &options.runs, 4);
  parser.Text("--limit", "TIME", Say("tune.help.limit"), &options.limit);
  parser.Number("--threshold", "PERCENT", Say("tune.help.threshold"), &options.threshold);
  parser.Text("--out", "DIR", Say("tune.help.out"), &options.out);
  parser.Flag("--quiet", Say("tune.help.quiet"), &options.quiet);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PROGRAM", &options.command, 1);
  parser.Example("stepscope tune -- python train.py --epochs 1", Say("tune.help.example"));
  parser.Example("stepscope tune --try OMP_NUM_THREADS=1,2,4,8 --limit 60s -- python train.py",
                 Say("tune.help.example-threads"));
  return parser;
}

// Where runs are recorded: goes away unless the user asked for it.
class RunFolder {
 public:
  static Result<RunFolder> Make(const std::string& wanted) {
    RunFolder folder;
    std::error_code error;
    if (wanted.empty()) {
      folder.path_ = (fs::temp_directory_path(error) / "stepscope-tune-XXXXXX").string();
      folder.temporary_ = mkdtemp(folder.path_.data()) != nullptr;
      if (folder.temporary_) return folder;
    } else {
      fs::create_directories(wanted, error);
      folder.path_ = wanted;
      if (!error && fs::is_empty(wanted, error)) return folder;
    }
    return Fail(ErrorCode::kCannotWrite, Say("tune.no-folder"), folder.path_, Say("tune.give-out"));
  }
  RunFolder(RunFolder&& other) noexcept
      : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    if (temporary_) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  RunFolder() = default;
  std::string path_;
  bool temporary_ = false;
};

int64_t UsableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

ProgramFacts FactsOf(const Measured& first) {
  const std::unique_ptr<Nvml> nvml = Nvml::Load();
  const char* flags = std::getenv("XLA_FLAGS");
  return {.framework = first.framework,
          .has_gpu = nvml != nullptr && nvml->count() > 0,
          .cpus = UsableCpus(),
          .xla_flags = flags == nullptr ? "" : flags};
}

// The end of what a failed run printed.
std::string LastLines(const std::string& path) {
  constexpr size_t kLines = 5;
  const Result<FileBytes> output = ReadWhole(path);
  if (!output) return {};
  std::string_view text{output->bytes().data(), output->bytes().size()};
  while (text.ends_with('\n')) text.remove_suffix(1);
  size_t at = text.size();
  for (size_t i = 0; i < kLines && at != std::string_view::npos; ++i) {
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  }
  return std::string(at == std::string_view::npos ? text : text.substr(at + 1));
}

bool Interrupted(const Measured& run) {
  return !run.cut && (run.signal == SIGINT || run.signal == SIGTERM || run.signal == SIGHUP);
}

class Tuner {
 public:
  Tuner(const Options& options, MeasureOptions measure)
      : options_(options),
        measure_(std::move(measure)),
        style_(StyleFor(options.output)),
        settings_{.threshold = options.threshold / 100} {}

  int Run() {
    Progress(Say("tune.first-run"));
    const Result<Measured> first = Next({});
    if (!first) return Stop(first.error());
    if (first->failed()) return StopAsItIs(*first);
    const Result<std::vector<Setting>> settings = SettingsToTry(*first);
    if (!settings) return Stop(settings.error());
    std::vector<Trial> trials(1);
    for (const Setting& setting : *settings) trials.push_back({.setting = setting});
    if (const std::optional<int> code = RunAll(trials)) return *code;
    const Tuned tuned = JudgeTrials(std::move(trials), settings_);
    if (tuned.metric == Metric::kRun && measure_.limit_ns > 0) {
      return Stop(Error{.code = ErrorCode::kUsage,
                        .sentence = Say("tune.no-steps"),
                        .next_step = Say("tune.no-limit")});
    }
    return ExitCodeAfter(kVerb,
                         WriteOut(options_.output.json ? TunedJson(tuned, settings_)
                                                       : TunedText(tuned, settings_, style_)));
  }

 private:
  Result<Measured> Next(const Setting& setting) {
    return Measure(measure_, setting, ++number_, exit_code_);
  }

  Result<std::vector<Setting>> SettingsToTry(const Measured& first) const {
    std::vector<Setting> settings;
    for (const std::string& text : options_.tries) {
      Result<std::vector<Setting>> some = SettingsOf(text);
      if (!some) return some;
      settings.insert(settings.end(), some->begin(), some->end());
    }
    return options_.tries.empty() ? UsualSettings(FactsOf(first)) : settings;
  }

  // Rounds go forth and back, so that a steady drift hits every setting alike.
  std::optional<int> RunAll(std::vector<Trial>& trials) {
    const size_t compared = trials.size() - 1;
    const int64_t least = RunsToDecide(compared, settings_.alpha);
    const int64_t rounds = options_.runs > 0 ? options_.runs : std::max<int64_t>(least, 5);
    const int64_t all = rounds * static_cast<int64_t>(trials.size());
    int64_t done = 0;
    for (int64_t round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < trials.size(); ++i, ++done) {
        Trial& trial = trials[round % 2 == 0 ? i : trials.size() - 1 - i];
        if (trial.failure() != nullptr || !trial.Lost().empty()) continue;
        Progress(Say("tune.progress", done + 1, all, InWords(trial.setting)));
        Result<Measured> run = Next(trial.setting);
        if (!run) return Stop(run.error());
        if (Interrupted(*run)) {
          PrintNote(kVerb, Say("tune.interrupted"));
          return kExitInterrupted;
        }
        run->round = round;
        if (run->failed() && trial.setting.variables.empty()) return StopAsItIs(*run);
        trial.runs.push_back(std::move(*run));
      }
    }
    return std::nullopt;
  }

  int StopAsItIs(const Measured& run) {
    if (Interrupted(run)) return kExitInterrupted;
    fmt::print(stderr, "{}\n", style_.Clean(LastLines(run.output)));
    return Stop(Error{.code = ErrorCode::kCannotRead,
                      .sentence = Say("tune.fails-as-it-is", HowItFailed(run)),
                      .file = measure_.command[0],
                      .next_step = Say("tune.run-alone")});
  }

  int Stop(const Error& error) const {
    const int code = PrintError(kVerb, error);
    return exit_code_ != 0 ? exit_code_ : code;
  }

  void Progress(const Message& message) const {
    if (!options_.quiet) fmt::print(stderr, "{}\n", style_.Clean(style_.Say(message)));
  }

  const Options& options_;
  MeasureOptions measure_;
  Style style_;
  diff::Settings settings_;
  int64_t number_ = 0;
  int exit_code_ = 0;  // of a program that cannot be started
};

int Run(const Options& options) {
  MeasureOptions measure{.command = options.command};
  if (!options.limit.empty()) {
    const std::optional<double> seconds = SecondsOf(options.limit);
    if (!seconds || *seconds <= 0) {
      return PrintError(kVerb, Error{.code = ErrorCode::kUsage,
                                     .sentence = Say("tune.bad-limit", options.limit),
                                     .next_step = "stepscope tune --help"});
    }
    measure.limit_ns = static_cast<int64_t>(*seconds * 1e9);
  }
  for (const std::string& text : options.tries) {
    if (const auto settings = SettingsOf(text); !settings) {
      return PrintError(kVerb, settings.error());
    }
  }
  const Result<RunFolder> folder = RunFolder::Make(options.out);
  if (!folder) return PrintError(kVerb, folder.error());
  measure.folder = folder->path();
  return Tuner(options, std::move(measure)).Run();
}

}  // namespace
}  // namespace stepscope::tune

namespace stepscope {

int RunTune(std::span<char*> arguments) {
  tune::Options options;
  const OptionParser parser = tune::Parser(options);
  if (const auto ended = ParseOrHelp(tune::kVerb, parser, arguments)) return *ended;
  return tune::Run(options);
}

}  // namespace stepscope
