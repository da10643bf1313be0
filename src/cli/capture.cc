#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/capture_target.h"
#include "capture/processes/capturable.h"
#include "capture/profiler_service/watch_service.h"
#include "capture/target.h"
#include "cli/capture_line.h"
#include "cli/capture_options.h"
#include "cli/capture_series.h"
#include "cli/end_with_input.h"
#include "cli/remote_capture.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "present/capture_text.h"
#include "present/unicode.h"
#include "present/units.h"
#include "words/capture.h"
#include "words/cli.h"
#include "words/ssh.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kCaptureTexts, kSshTexts> Say;

constexpr std::string_view kVerb = "capture";

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
                      [](const HostPort& host, const Messages& figures) {
                        std::string line = host.text() + ":";
                        for (const Message& figure : figures)
                          line += "  " + Render(figure, TerminalLanguage());
                        (void)WriteOut(Printable(line) + "\n");
                      });
}

// All went to standard error; standard output is for the report.
void Tell(const Captured& captured, double seconds) {
  for (const Error& failure : captured.failures) (void)PrintError(kVerb, failure);
  const auto print = [](const Message& line) {
    fmt::print(stderr, "{}\n", Printable(Render(line, TerminalLanguage())));
  };
  for (const Sentences& remark : captured.remarks) PrintNote(kVerb, remark);
  for (const CapturedFile& file : captured.files) {
    print(
        Say("capture.from", file.path, FormatBytes(static_cast<int64_t>(file.bytes)), file.source));
  }
  print(Say("capture.took", seconds));
}

// Nothing ran: a report would only say the same with more words.
Result<void> CheckEmpty(const Captured& captured) {
  for (const CapturedFile& file : captured.files) {
    if (file.why_empty.empty()) return {};
  }
  return Fail(ErrorCode::kDamaged, captured.files[0].why_empty, {}, Say("capture.while-steps"));
}

int Report(const Captured& captured, const CaptureOptions& options) {
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

Result<RemoteCapture> RemoteOf(const CaptureOptions& options, std::vector<std::string> words) {
  Result<SshPlace> place = ParseSshHost(options.via);
  if (!place) return std::unexpected(place.error());
  return RemoteCapture{std::move(*place), options.program, std::move(words)};
}

Result<Captured> TakeProfile(const CaptureTarget& target, const CaptureOptions& options,
                             const CaptureRequest& request) {
  if (options.via.empty()) return CaptureFrom(target, ChoicesOf(options), request);
  const Result<RemoteCapture> remote = RemoteOf(options, CaptureWords(options));
  if (!remote) return std::unexpected(remote.error());
  return CaptureRemotely(*remote, request);
}

Result<Captured> Capture(const CaptureTarget& target, const CaptureOptions& options,
                         const std::string& directory, const StopOnSignal& stop) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(directory, ignored);
  if (const Result<void> made = MakeFolder(directory); !made) {
    return std::unexpected(made.error());
  }
  CaptureLine line;
  Result<Captured> captured =
      TakeProfile(target, options,
                  {.duration = options.duration,
                   .directory = directory,
                   .on_moment = [&line](const CaptureMoment& moment) { line.Show(moment); },
                   .stop = stop.token()});
  // Only an empty folder goes.
  if (!captured && !existed) std::filesystem::remove(directory, ignored);
  return captured;
}

Result<void> RunEvery(const CaptureTarget& target, const CaptureOptions& options) {
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

Result<Captured> CaptureOnce(const CaptureTarget& target, const CaptureOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const StopOnSignal stop;
  std::optional<EndWithInput> end_with_input;
  if (options.end_with_stdin) end_with_input.emplace();
  Result<Captured> captured =
      Capture(target, options,
              options.directory.empty() ? NewFolderName("capture") : options.directory, stop);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  if (captured) Tell(*captured, took.count());
  return captured;
}

int ListThere(const CaptureOptions& options) {
  const Result<RemoteCapture> remote = RemoteOf(options, ListWords(options));
  return ExitCodeAfter(
      kVerb, remote ? ListRemotely(*remote) : Result<void>(std::unexpected(remote.error())));
}

int List(const CaptureOptions& options) {
  if (!options.via.empty()) return ListThere(options);
  const CapturableList list = FindCapturable();
  return ExitCodeAfter(
      kVerb, WriteOut(options.output.json ? CapturableJson(list, JsonLanguage(options.output))
                                          : CapturableText(list, StyleFor(options.output))));
}

int Run(const CaptureOptions& options) {
  if (options.list) return List(options);
  if (options.targets.empty()) {
    return PrintError(
        kVerb,
        {ErrorCode::kUsage, Say("capture.target-missing"), {}, {}, Say("capture.list-here")});
  }
  const Result<CaptureTarget> target = ParseCaptureTarget(options.targets[0]);
  if (!target) return PrintError(kVerb, target.error());
  if (options.watch && !options.via.empty()) {
    return PrintError(
        kVerb, {ErrorCode::kUsage, Say("ssh.watch-there"), {}, {}, Say("ssh.watch-forward")});
  }
  if (options.watch && target->kind != TargetKind::kProfilerService) {
    return PrintError(kVerb, {ErrorCode::kUsage, Say("capture.watch-needs")});
  }
  if (options.watch) {
    return ExitCodeAfter(kVerb, Watch(*target));
  }
  if (options.every.count() > 0) {
    return ExitCodeAfter(kVerb, RunEvery(*target, options));
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
  CaptureOptions options;
  const OptionParser parser = CaptureParser(options);
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  if (*parsed == OptionParser::Outcome::kRun) return Run(options);
  return ExitCodeAfter(kVerb, WriteOut(parser.Help()));
}

}  // namespace stepscope
