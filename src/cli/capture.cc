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
#include "cli/capture_series.h"
#include "cli/end_with_input.h"
#include "cli/remote_capture.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "present/capture_text.h"
#include "present/unicode.h"
#include "present/units.h"

namespace stepscope {
namespace {

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
  std::string via;
  SshProgram program;
  bool end_with_stdin = false;
};

auto DurationInto(std::chrono::milliseconds* into) {
  return [into](std::string_view text) -> std::string {
    const auto duration = ParseDuration(text);
    if (!duration) return "needs a duration like 500ms, 2s or 10m";
    *into = *duration;
    return {};
  };
}

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] TARGET",
                      "Takes a profile of a program that is running already, brings it to this "
                      "machine and prints\nthe report. TARGET is one of\n"
                      "  host:port, grpc://host:port,host:port\n"
                      "      the profiler servers of JAX or TensorFlow programs, which start them "
                      "with\n      jax.profiler.start_server(port) or "
                      "tf.profiler.experimental.server.start(port)\n"
                      "  pid:N, job:NAME, all\n"
                      "      PyTorch programs on this machine that were started with "
                      "KINETO_USE_DAEMON=1:\n      a process and those that it started, a Slurm or "
                      "torchrun job, or all of them\n"
                      "  vllm://host:port, sglang://host:port\n"
                      "      an inference server");
  parser.Flag("--list", "what can be captured on this machine, and what the rest lacks",
              &options.list);
  parser.Custom("--for", "TIME", "how long, like 500ms or 2s (default 2s)",
                DurationInto(&options.duration));
  parser.Text("--out", "DIR", "where the profile goes (default: a new folder here)",
              &options.directory);
  parser.Flag("--open", "show it in the browser instead of here", &options.open);
  parser.Flag("--no-report", "only take the profile and print where it is", &options.no_report);
  parser.Custom("--every", "TIME", "a series: again and again, like 10m, until Ctrl-C",
                DurationInto(&options.every));
  parser.Integer("--keep", "N", "of a series: so many points (default 20)", &options.keep, 1,
                 1'000'000);
  parser.Section("JAX and TensorFlow");
  parser.Integer("--host-level", "N",
                 "host events: 0 none, 1 the program's own, 2 ops (default), 3 all",
                 &options.host_level, 0, 3);
  parser.Integer("--device-level", "N", "device events: 0 none, 1 all (default)",
                 &options.device_level, 0, 3);
  parser.Flag("--python", "also every Python call; slows the program down", &options.levels.python);
  parser.Flag("--watch", "print the server's live figures until Ctrl-C, where it has any",
              &options.watch);
  parser.Section("PyTorch, vLLM and SGLang");
  parser.Integer("--steps", "N", "so many steps instead of a time (not vLLM)",
                 &options.kineto.steps, 1, 10'000);
  parser.Integer("--align", "N", "with --steps: begin at a step that N divides, on all ranks",
                 &options.kineto.round_up, 1, 1'000'000);
  parser.Integer("--warm-up", "S", "seconds for the profiler to start (default 1)",
                 &options.warm_up_s, 0, 120);
  parser.Flag("--no-shapes", "leave out the shapes of inputs", &options.no_shapes);
  parser.Flag("--stacks", "also the Python stack of every op; slows the program down",
              &options.kineto.stacks);
  parser.Flag("--memory", "a snapshot of the allocator instead of a trace", &options.kineto.memory);
  parser.Integer("--requests", "N", "vLLM, SGLang: until so many requests are answered",
                 &options.serving.requests, 1, 1'000'000);
  parser.Text("--from", "DIR", "vLLM, SGLang: where the server's profiles show up on this machine",
              &options.serving.from);
  parser.Section("programs on another machine");
  parser.Text("--via", "ssh:HOST",
              "run the capture on HOST by ssh and bring the profile here; pid:N is a process there",
              &options.via);
  parser.Text("--ssh", "COMMAND", "the ssh to use, with its options (default ssh)",
              &options.program.ssh);
  parser.Text("--remote-program", "PATH", "stepscope on that machine (default stepscope)",
              &options.program.program);
  parser.Flag("--end-with-stdin", "the end of standard input ends the capture, as Ctrl-C does",
              &options.end_with_stdin);
  parser.Section("output");
  AddOutputOptions(parser, &options.output);
  parser.Positionals("TARGET", &options.targets, 0, 1);
  parser.Example("stepscope capture --list", "what can be captured here");
  parser.Example("stepscope capture localhost:9012", "2 s of a JAX or TensorFlow program");
  parser.Example("stepscope capture --for 500ms --python localhost:9012",
                 "half a second, with Python calls");
  parser.Example("stepscope capture --out runs/today grpc://node1:9012,node2:9012",
                 "two hosts of a job over the same span of time");
  parser.Example("stepscope capture --steps 5 --align 100 pid:4242",
                 "five steps of a PyTorch job: torchrun and its ranks");
  parser.Example("stepscope capture --every 10m --keep 100 --out watch localhost:9012",
                 "a series: small reports, and the profiles of unusual steps");
  parser.Example("stepscope capture --via ssh:node1 pid:4242",
                 "a PyTorch program on another machine");
  parser.Example("stepscope capture --requests 20 vllm://localhost:8000",
                 "until a vLLM server has answered 20 requests");
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
  return Fail(ErrorCode::kCannotWrite, "cannot make the directory: " + error.message(), directory,
              "choose another place with --out");
}

Result<void> Watch(const CaptureTarget& target) {
  const StopOnSignal stop;
  return WatchService(target.hosts, stop.token(),
                      [](const std::string& line) { (void)WriteOut(Printable(line) + "\n"); });
}

// All went to standard error; standard output is for the report.
void Tell(const Captured& captured, double seconds) {
  for (const Error& failure : captured.failures) (void)PrintError(kVerb, failure);
  for (const std::string& remark : captured.remarks) {
    fmt::print(stderr, "stepscope capture: {}\n", Printable(remark));
  }
  for (const CapturedFile& file : captured.files) {
    fmt::print(stderr, "{}: {} from {}\n", Printable(file.path),
               FormatBytes(static_cast<int64_t>(file.bytes)), Printable(file.source));
  }
  fmt::print(stderr, "captured in {:.1f} s\n", seconds);
}

// Nothing ran: a report would only say the same with more words.
Result<void> CheckEmpty(const Captured& captured) {
  for (const CapturedFile& file : captured.files) {
    if (file.why_empty.empty()) return {};
  }
  return Fail(ErrorCode::kDamaged, captured.files[0].why_empty, {},
              "capture while steps run, or for longer: --for 10s");
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

// The same capture in the words of the command line, for the program on the other machine.
std::vector<std::string> WordsOf(const Options& options) {
  std::vector<std::string> words{fmt::format("--for={}ms", options.duration.count()),
                                 fmt::format("--host-level={}", options.host_level),
                                 fmt::format("--device-level={}", options.device_level),
                                 fmt::format("--warm-up={}", options.warm_up_s)};
  const auto flag = [&](const char* name, bool set) {
    if (set) words.emplace_back(name);
  };
  const auto number = [&](const char* name, int64_t value, int64_t usual) {
    if (value != usual) words.push_back(fmt::format("{}={}", name, value));
  };
  number("--steps", options.kineto.steps, 0);
  number("--align", options.kineto.round_up, 1);
  number("--requests", options.serving.requests, 0);
  flag("--python", options.levels.python);
  flag("--no-shapes", options.no_shapes);
  flag("--stacks", options.kineto.stacks);
  flag("--memory", options.kineto.memory);
  if (!options.serving.from.empty()) words.push_back("--from=" + options.serving.from);
  words.insert(words.end(), {"--", options.targets[0]});
  return words;
}

Result<RemoteCapture> RemoteOf(const Options& options, std::vector<std::string> words) {
  Result<SshPlace> place = ParseSshHost(options.via);
  if (!place) return std::unexpected(place.error());
  return RemoteCapture{std::move(*place), options.program, std::move(words)};
}

Result<Captured> TakeProfile(const CaptureTarget& target, const Options& options,
                             const CaptureRequest& request) {
  if (options.via.empty()) return CaptureFrom(target, ChoicesOf(options), request);
  const Result<RemoteCapture> remote = RemoteOf(options, WordsOf(options));
  if (!remote) return std::unexpected(remote.error());
  return CaptureRemotely(*remote, request);
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
      TakeProfile(target, options,
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
  std::optional<EndWithInput> end_with_input;
  if (options.end_with_stdin) end_with_input.emplace();
  Result<Captured> captured =
      Capture(target, options,
              options.directory.empty() ? NewFolderName("capture") : options.directory, stop);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  if (captured) Tell(*captured, took.count());
  return captured;
}

int ListThere(const Options& options) {
  std::vector<std::string> words;
  if (options.output.json) words.emplace_back("--json");
  if (options.output.ascii) words.emplace_back("--ascii");
  if (options.output.width > 0) words.push_back(fmt::format("--width={}", options.output.width));
  const Result<RemoteCapture> remote = RemoteOf(options, std::move(words));
  const Result<void> listed =
      remote ? ListRemotely(*remote) : Result<void>(std::unexpected(remote.error()));
  return listed ? kExitFine : PrintError(kVerb, listed.error());
}

int List(const Options& options) {
  if (!options.via.empty()) return ListThere(options);
  const CapturableList list = FindCapturable();
  const Result<void> written = WriteOut(
      options.output.json ? CapturableJson(list) : CapturableText(list, StyleFor(options.output)));
  return written ? kExitFine : PrintError(kVerb, written.error());
}

int Run(const Options& options) {
  if (options.list) return List(options);
  if (options.targets.empty()) {
    return PrintError(kVerb, {ErrorCode::kUsage,
                              "TARGET is missing",
                              {},
                              {},
                              "stepscope capture --list shows what can be captured here"});
  }
  const Result<CaptureTarget> target = ParseCaptureTarget(options.targets[0]);
  if (!target) return PrintError(kVerb, target.error());
  if (options.watch && !options.via.empty()) {
    return PrintError(kVerb, {ErrorCode::kUsage, "--watch does not go with --via"});
  }
  if (options.watch && target->kind != TargetKind::kProfilerService) {
    return PrintError(kVerb, {ErrorCode::kUsage, "--watch needs a profiler server, host:port"});
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
