#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/capture_target.h"
#include "capture/processes/capturable.h"
#include "capture/profiler_service/watch_service.h"
#include "capture/target.h"
#include "cli/capture_line.h"
#include "cli/capture_series.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "present/capture_text.h"
#include "present/unicode.h"
#include "present/units.h"
#include "words/capture.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kCaptureTexts> Say;

constexpr std::string_view kVerb = "capture";

struct Options {
  std::vector<std::string> targets;
  OutputOptions output;
  std::chrono::milliseconds duration{2000}, every{0};
  int64_t keep = 20;
  TracerLevels levels;
  int64_t host_level = 2, device_level = 1;
  KinetoOptions kineto;
  ServingOptions serving;
  int64_t warm_up_s = 1;
  bool no_shapes = false;
  std::string directory;
  bool list = false, watch = false, open = false, no_report = false;
};

auto DurationInto(std::chrono::milliseconds* into) {
  return [into](std::string_view text) -> Sentences {
    const auto duration = ParseDuration(text);
    if (!duration) return Say("capture.help.duration");
    *into = *duration;
    return {};
  };
}

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] TARGET", Say("capture.help.about"));
  parser.Flag("--list", Say("capture.help.list"), &options.list);
  parser.Custom("--for", "TIME", Say("capture.help.for"), DurationInto(&options.duration));
  parser.Text("--out", "DIR", Say("capture.help.out"), &options.directory);
  parser.Flag("--open", Say("capture.help.open"), &options.open);
  parser.Flag("--no-report", Say("capture.help.only"), &options.no_report);
  parser.Custom("--every", "TIME", Say("capture.help.every"), DurationInto(&options.every));
  parser.Integer("--keep", "N", Say("capture.help.keep"), &options.keep, 1, 1'000'000);
  parser.Section(Say("capture.help.servers"));
  parser.Integer("--host-level", "N", Say("capture.help.host-level"), &options.host_level, 0, 3);
  parser.Integer("--device-level", "N", Say("capture.help.device-level"), &options.device_level, 0,
                 3);
  parser.Flag("--python", Say("capture.help.python"), &options.levels.python);
  parser.Flag("--watch", Say("capture.help.watch"), &options.watch);
  parser.Section(Say("capture.help.kineto"));
  parser.Integer("--steps", "N", Say("capture.help.steps"), &options.kineto.steps, 1, 10'000);
  parser.Integer("--align", "N", Say("capture.help.align"), &options.kineto.round_up, 1, 1'000'000);
  parser.Integer("--warm-up", "S", Say("capture.help.warm-up"), &options.warm_up_s, 0, 120);
  parser.Flag("--no-shapes", Say("capture.help.no-shapes"), &options.no_shapes);
  parser.Flag("--stacks", Say("capture.help.stacks"), &options.kineto.stacks);
  parser.Flag("--memory", Say("capture.help.memory"), &options.kineto.memory);
  parser.Integer("--requests", "N", Say("capture.help.requests"), &options.serving.requests, 1,
                 1'000'000);
  parser.Text("--from", "DIR", Say("capture.help.from"), &options.serving.from);
  parser.Section(Say("capture.help.output"));
  AddOutputOptions(parser, &options.output);
  parser.Positionals("TARGET", &options.targets, 0, 1);
  parser.Example("stepscope capture --list", Say("capture.help.example-list"));
  parser.Example("stepscope capture localhost:9012", Say("capture.help.example"));
  parser.Example("stepscope capture --for 500ms --python localhost:9012",
                 Say("capture.help.example-python"));
  parser.Example("stepscope capture --out runs/today grpc://node1:9012,node2:9012",
                 Say("capture.help.example-hosts"));
  parser.Example("stepscope capture --steps 5 --align 100 pid:4242",
                 Say("capture.help.example-steps"));
  parser.Example("stepscope capture --every 10m --keep 100 --out watch localhost:9012",
                 Say("capture.help.example-series"));
  parser.Example("stepscope capture --requests 20 vllm://localhost:8000",
                 Say("capture.help.example-requests"));
  return parser;
}

// "capture_2026-11-16_14-30-05", here.
std::string NewFolderName(std::string_view what) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "_%Y-%m-%d_%H-%M-%S", &local);
  return std::string(what) + text;
}

Result<void> MakeFolder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return {};
  return Fail(ErrorCode::kCannotWrite, Say("capture.cannot-make", error.message()), directory,
              Say("capture.choose-out"));
}

Result<void> Watch(const CaptureTarget& target) {
  const StopOnSignal stop;
  return WatchService(target.hosts, stop.token(),
                      [](const std::string& line) { (void)WriteOut(Printable(line) + "\n"); });
}

// All went to standard error; standard output is for the report.
void Tell(const Captured& captured, double seconds) {
  for (const Error& failure : captured.failures) (void)PrintError(kVerb, failure);
  const auto print = [](std::string_view start, const Messages& line) {
    fmt::print(stderr, "{}{}\n", start, Printable(Render(line, TerminalLanguage())));
  };
  for (const Sentences& remark : captured.remarks) print("stepscope capture: ", remark);
  for (const CapturedFile& file : captured.files) {
    print("", Say("capture.from", file.path, FormatBytes(static_cast<int64_t>(file.bytes)),
                  file.source));
  }
  print("", Say("capture.took", seconds));
}

// Nothing ran: a report would only say the same with more words.
Result<void> CheckEmpty(const Captured& captured) {
  for (const CapturedFile& file : captured.files) {
    if (file.why_empty.empty()) return {};
  }
  return Fail(ErrorCode::kDamaged, captured.files[0].why_empty, {}, Say("capture.while-steps"));
}

int Report(const Captured& captured, const Options& options) {
  std::vector<std::string> words;
  if (options.open) {
    words = {"--open"};
  } else {
    if (options.output.json) words.emplace_back("--json");
    if (options.output.ascii) words.emplace_back("--ascii");
    words.push_back("--color=" + options.output.color);
    if (options.output.width > 0) words.push_back(fmt::format("--width={}", options.output.width));
  }
  if (options.output.threads > 0) {
    words.push_back(fmt::format("--threads={}", options.output.threads));
  }
  words.emplace_back("--");
  for (const CapturedFile& file : captured.files) words.push_back(file.path);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return options.open ? RunServe(arguments) : RunReport(arguments);
}

CaptureChoices ChoicesOf(const Options& options) {
  CaptureChoices choices{
      .levels = options.levels, .kineto = options.kineto, .serving = options.serving};
  choices.levels.host = static_cast<uint32_t>(options.host_level);
  choices.levels.device = static_cast<uint32_t>(options.device_level);
  choices.kineto.warm_up = std::chrono::seconds(options.warm_up_s);
  choices.kineto.shapes = !options.no_shapes;
  choices.serving.steps = options.kineto.steps;
  return choices;
}

Result<Captured> Capture(const CaptureTarget& target, const Options& options,
                         const std::string& directory, const StopOnSignal& stop) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(directory, ignored);
  if (const Result<void> made = MakeFolder(directory); !made) {
    return std::unexpected(made.error());
  }
  CaptureLine line;
  Result<Captured> captured =
      CaptureFrom(target, ChoicesOf(options),
                  {.duration = options.duration,
                   .directory = directory,
                   .on_moment = [&line](const CaptureMoment& moment) { line.Show(moment); },
                   .stop = stop.token()});
  // Only an empty folder goes.
  if (!captured && !existed) std::filesystem::remove(directory, ignored);
  return captured;
}

Result<void> RunEvery(const CaptureTarget& target, const Options& options) {
  const std::string directory =
      options.directory.empty() ? NewFolderName("series") : options.directory;
  if (const Result<void> made = MakeFolder(directory); !made) return made;
  const StopOnSignal stop;
  const Result<void> ran =
      RunSeries({.directory = directory,
                 .every = options.every,
                 .keep = static_cast<size_t>(options.keep),
                 .stop = stop.token()},
                [&](const std::string& folder) { return Capture(target, options, folder, stop); });
  std::error_code ignored;
  if (!ran) std::filesystem::remove(directory, ignored);
  return ran;
}

Result<Captured> CaptureOnce(const CaptureTarget& target, const Options& options) {
  const auto started = std::chrono::steady_clock::now();
  const StopOnSignal stop;
  Result<Captured> captured =
      Capture(target, options,
              options.directory.empty() ? NewFolderName("capture") : options.directory, stop);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  if (captured) Tell(*captured, took.count());
  return captured;
}

int List(const Options& options) {
  const CapturableList list = FindCapturable();
  const Result<void> written =
      WriteOut(options.output.json ? CapturableJson(list, JsonLanguage(options.output))
                                   : CapturableText(list, StyleFor(options.output)));
  return written ? kExitFine : PrintError(kVerb, written.error());
}

int Run(const Options& options) {
  if (options.list) return List(options);
  if (options.targets.empty()) {
    return PrintError(
        kVerb,
        {ErrorCode::kUsage, Say("capture.target-missing"), {}, {}, Say("capture.list-here")});
  }
  const Result<CaptureTarget> target = ParseCaptureTarget(options.targets[0]);
  if (!target) return PrintError(kVerb, target.error());
  if (options.watch && target->kind != TargetKind::kProfilerService) {
    return PrintError(kVerb, {ErrorCode::kUsage, Say("capture.watch-needs")});
  }
  if (options.watch) {
    const Result<void> watched = Watch(*target);
    return watched ? kExitFine : PrintError(kVerb, watched.error());
  }
  if (options.every.count() > 0) {
    const Result<void> ran = RunEvery(*target, options);
    return ran ? kExitFine : PrintError(kVerb, ran.error());
  }
  const Result<Captured> captured = CaptureOnce(*target, options);
  if (!captured) return PrintError(kVerb, captured.error());
  if (const Result<void> some = CheckEmpty(*captured); !some) {
    return PrintError(kVerb, some.error());
  }
  return options.no_report ? kExitFine : Report(*captured, options);
}

}  // namespace

int RunCapture(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  if (*parsed == OptionParser::Outcome::kRun) return Run(options);
  const Result<void> written = WriteOut(parser.Help());
  return written ? kExitFine : PrintError(kVerb, written.error());
}

}  // namespace stepscope
