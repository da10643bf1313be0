#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "present/units.h"
#include "record/recorder.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "record";

struct Options {
  std::vector<std::string> command;
  std::string out, steps, after, length, gpus;
  std::string report = "text";
  int64_t every = 0, megabytes = 500;
  bool quiet = false, open = false, stacks = false, memory = false, no_hook = false, native = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(
      kVerb, "[OPTIONS] -- PROGRAM [ARGUMENTS]",
      "Runs a program as it is and records it: the framework's own profile of a window of steps "
      "(PyTorch,\nTensorFlow, JAX), the time of every step, sampled Python stacks, counters of the "
      "process and the\nmachine. Then reports. The exit code is the program's; our own lines go "
      "to standard error.");
  parser.Text("--out", "DIR", "where to write (default stepscope-run, stepscope-run-2, …)",
              &options.out);
  parser.Choice("--report", {"text", "html", "none"}, "what to make of it at the end (text)",
                &options.report);
  parser.Flag("--open", "show the recording in the browser at the end", &options.open);
  parser.Flag("--quiet", "no lines of our own, and no report", &options.quiet);
  parser.Section(
      "Which steps the framework's profiler sees (default: ten, after the tenth step or "
      "20 s)");
  parser.Text("--steps", "A-B | N", "these steps; with --every: how many", &options.steps);
  parser.Text("--after", "TIME", "begin this long after the framework was imported: 30s, 2m",
              &options.after);
  parser.Text("--for", "TIME", "end after this long: 5s", &options.length);
  parser.Integer("--every", "N", "a window every N steps", &options.every, 1);
  parser.Integer("--max-memory", "MB", "end the window when the profile takes this much (500)",
                 &options.megabytes, 1);
  parser.Flag("--stacks", "with the Python stack of every op (PyTorch; slower)", &options.stacks);
  parser.Flag("--memory", "with every allocation (PyTorch)", &options.memory);
  parser.Section("The program");
  parser.Text("--gpus", "LIST", "the GPUs it sees, like 0,2 (CUDA_VISIBLE_DEVICES)", &options.gpus);
  parser.Flag("--native",
              "record CUDA itself for the whole run (kernels, copies, NVTX) instead of the "
              "framework's profiler",
              &options.native);
  parser.Flag("--no-hook", "nothing inside Python: stacks and counters only", &options.no_hook);
  parser.Positionals("PROGRAM", &options.command, 1);
  parser.Example("stepscope record -- python train.py --epochs 1", "ten steps, then the report");
  parser.Example("stepscope record --steps 100-120 --stacks -- python train.py",
                 "these steps, with stacks");
  parser.Example("stepscope record --out runs/a -- torchrun --nproc-per-node 2 train.py",
                 "every rank");
  return parser;
}

std::optional<double> SecondsOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (error != std::errc() || number < 0) return std::nullopt;
  if (unit.empty() || unit == "s") return number;
  if (unit == "ms") return number / 1000;
  if (unit == "m" || unit == "min") return number * 60;
  if (unit == "h") return number * 3600;
  return std::nullopt;
}

std::unexpected<Error> Wrong(std::string sentence) {
  return Fail(ErrorCode::kUsage, std::move(sentence), {}, "stepscope record --help");
}

// "20-30" is a first step and a number of steps, "5" a number of them.
Result<std::string> StepsOf(const Options& options) {
  int64_t first = 0, last = 0;
  const char* const end = options.steps.data() + options.steps.size();
  const auto [dash, error] = std::from_chars(options.steps.data(), end, first);
  if (error == std::errc() && dash == end && first > 0) return fmt::format("count={};", first);
  if (error == std::errc() && dash != end && *dash == '-') {
    const auto [rest, bad] = std::from_chars(dash + 1, end, last);
    if (bad == std::errc() && rest == end && last >= first && options.every == 0) {
      return fmt::format("first={};count={};", first, last - first + 1);
    }
  }
  return Wrong(fmt::format("--steps takes {}, not '{}'",
                           options.every > 0 ? "a number of steps with --every" : "A-B or a number",
                           options.steps));
}

Result<std::string> WindowOf(const Options& options) {
  std::string window;
  if (!options.steps.empty()) {
    const Result<std::string> steps = StepsOf(options);
    if (!steps) return steps;
    window += *steps;
  }
  for (const auto& [name, text] :
       {std::pair("after", &options.after), std::pair("for", &options.length)}) {
    if (text->empty()) continue;
    const std::optional<double> seconds = SecondsOf(*text);
    if (!seconds) return Wrong(fmt::format("--{} takes a time like 30s, not '{}'", name, *text));
    window += fmt::format("{}={};", name, *seconds);
  }
  if (options.every > 0) window += fmt::format("every={};", options.every);
  window += fmt::format("bytes={};", options.megabytes * 1'000'000);
  if (options.stacks) window += "stacks=1;";
  if (options.memory) window += "memory=1;";
  if (options.native) window += "native=1;";
  return window;
}

void Say(const Options& options, const std::string& line) {
  if (!options.quiet) fmt::print(stderr, "{}\n", line);
}

// What other verbs print goes to standard error from here on: standard output is the program's.
int Show(const std::string& directory, std::vector<std::string> words,
         int (*verb)(std::span<char*>)) {
  std::fflush(stdout);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  words.push_back(directory);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return verb(arguments);
}

int Run(const Options& options) {
  const Result<std::string> window = WindowOf(options);
  if (!window) return PrintError(kVerb, window.error());
  const Result<std::string> directory = MakeRunDirectory(options.out);
  if (!directory) return PrintError(kVerb, directory.error());
  RecordOptions record{.command = options.command,
                       .directory = *directory,
                       .window = *window,
                       .variables = {},
                       .hook = !options.no_hook};
  if (!options.gpus.empty()) record.variables.emplace_back("CUDA_VISIBLE_DEVICES", options.gpus);
  Say(options, fmt::format("stepscope: recording into {}", *directory));
  int exit_code = kExitCannotRead;
  const Result<RecordedRun> run = Record(record, exit_code);
  if (!run) {
    std::error_code ignored;
    std::filesystem::remove(*directory, ignored);
    PrintError(kVerb, run.error());
    return exit_code;
  }
  if (!run->write_error.empty()) {
    Say(options, fmt::format("stepscope: the recording is not whole: {}", run->write_error));
  }
  if (!options.quiet && options.report == "text") {
    (void)Show(*directory, {}, RunReport);
  } else if (!options.quiet && options.report == "html") {
    (void)Show(*directory, {"--html", *directory + "/report.html"}, RunReport);
  }
  Say(options, fmt::format("stepscope: {} recorded in {} · again: stepscope report {} · in the "
                           "browser: stepscope serve {}",
                           FormatDuration(DurationNs{run->duration_ns}), *directory, *directory,
                           *directory));
  if (options.open) (void)Show(*directory, {}, RunServe);
  return run->shell_code;
}

}  // namespace

int RunRecord(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  if (*parsed == OptionParser::Outcome::kHelp) {
    const Result<void> shown = WriteOut(parser.Help());
    return shown ? kExitFine : PrintError(kVerb, shown.error());
  }
  return Run(options);
}

}  // namespace stepscope
