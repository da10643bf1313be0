#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "command/durations.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "present/units.h"
#include "record/recorder.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

constexpr std::string_view kVerb = "record";

struct Options {
  std::vector<std::string> command;
  std::string out, steps, after, length, gpus;
  std::string report = "text";
  int64_t every = 0, megabytes = 500;
  bool quiet = false, open = false, stacks = false, memory = false, no_hook = false, native = false;
  bool wait = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] -- PROGRAM [ARGUMENTS]", Say("record.about"));
  parser.Text("--out", "DIR", Say("record.out"), &options.out);
  parser.Choice("--report", {"text", "html", "none"}, Say("record.report"), &options.report);
  parser.Flag("--open", Say("record.open"), &options.open);
  parser.Flag("--quiet", Say("record.quiet"), &options.quiet);
  parser.Section(Say("record.window"));
  parser.Text("--steps", "A-B | N", Say("record.steps"), &options.steps);
  parser.Text("--after", "TIME", Say("record.after"), &options.after);
  parser.Text("--for", "TIME", Say("record.for"), &options.length);
  parser.Integer("--every", "N", Say("record.every"), &options.every, 1);
  parser.Integer("--max-memory", "MB", Say("record.max-mb"), &options.megabytes, 1);
  parser.Flag("--stacks", Say("record.stacks"), &options.stacks);
  parser.Flag("--memory", Say("record.memory"), &options.memory);
  parser.Flag("--wait", Say("record.wait"), &options.wait);
  parser.Section(Say("record.program"));
  parser.Text("--gpus", "LIST", Say("record.gpus"), &options.gpus);
  parser.Flag("--native", Say("record.native"), &options.native);
  parser.Flag("--no-hook", Say("record.no-hook"), &options.no_hook);
  parser.Positionals("PROGRAM", &options.command, 1);
  parser.Example("stepscope record -- python train.py --epochs 1", Say("record.example"));
  parser.Example("stepscope record --steps 100-120 --stacks -- python train.py",
                 Say("record.example-steps"));
  parser.Example("stepscope record --wait -- python train.py", Say("record.example-wait"));
  parser.Example("stepscope record --out runs/a -- torchrun --nproc-per-node 2 train.py",
                 Say("record.example-ranks"));
  return parser;
}

std::unexpected<Error> Wrong(Sentences sentence) {
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
  return Wrong(
      Say("record.steps-takes",
          options.every > 0 ? Say("record.number-of-steps") : Say("record.range-or-number"),
          options.steps));
}

Result<std::string> WindowOf(const Options& options) {
  std::string window;
  if (options.wait && (options.native || options.no_hook || !options.steps.empty() ||
                       !options.after.empty() || !options.length.empty() || options.every > 0)) {
    return Wrong(Say("record.wait-alone"));
  }
  if (!options.steps.empty()) {
    const Result<std::string> steps = StepsOf(options);
    if (!steps) return steps;
    window += *steps;
  }
  for (const auto& [name, text] :
       {std::pair("after", &options.after), std::pair("for", &options.length)}) {
    if (text->empty()) continue;
    const std::optional<double> seconds = SecondsOf(*text);
    if (!seconds) return Wrong(Say("record.takes-time", name, *text));
    window += fmt::format("{}={};", name, *seconds);
  }
  if (options.every > 0) window += fmt::format("every={};", options.every);
  window += fmt::format("bytes={};", options.megabytes * 1'000'000);
  if (options.stacks) window += "stacks=1;";
  if (options.memory) window += "memory=1;";
  if (options.native) window += "native=1;";
  if (options.wait) window += "never=1;";
  return window;
}

void Tell(const Options& options, const Message& line) {
  if (!options.quiet) fmt::print(stderr, "{}\n", Render(line, TerminalLanguage()));
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
  Tell(options, Say("record.into", *directory));
  record.on_window = [&](const Message& line) { Tell(options, Say("record.line", line)); };
  int exit_code = kExitCannotRead;
  const Result<RecordedRun> run = Record(record, exit_code);
  if (!run) {
    std::error_code ignored;
    std::filesystem::remove(*directory, ignored);
    PrintError(kVerb, run.error());
    return exit_code;
  }
  if (!run->write_error.empty()) {
    Tell(options, Say("record.not-whole", run->write_error));
  }
  if (!options.quiet && options.report == "text") {
    (void)Show(*directory, {}, RunReport);
  } else if (!options.quiet && options.report == "html") {
    (void)Show(*directory, {"--html", *directory + "/report.html"}, RunReport);
  }
  Tell(options, Say("record.done", FormatDuration(DurationNs{run->duration_ns}), *directory));
  if (options.open) (void)Show(*directory, {}, RunServe);
  return run->shell_code;
}

}  // namespace

int RunRecord(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return Run(options);
}

}  // namespace stepscope
