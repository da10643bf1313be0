#include "cli/capture_options.h"

#include <fmt/format.h>

#include "capture/target.h"
#include "cli/ssh_options.h"
#include "command/terminal_language.h"
#include "words/cli.h"
#include "words/ssh.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kSshTexts> Say;

auto DurationInto(std::chrono::milliseconds* into) {
  return [into](std::string_view text) -> Sentences {
    const auto duration = ParseDuration(text);
    if (!duration) return Say("capture.help.duration");
    *into = *duration;
    return {};
  };
}

// The other machine may be set to another language than this one.
std::string TerminalLanguageWord() {
  return TerminalLanguage() == Language::kChinese ? "--lang=zh" : "--lang=en";
}

}  // namespace

OptionParser CaptureParser(CaptureOptions& options) {
  OptionParser parser("capture", "[OPTIONS] TARGET", Say("capture.help.about"));
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
  parser.Section(Say("ssh.help.programs"));
  parser.Text("--via", "ssh:HOST", Say("ssh.help.via"), &options.via);
  AddSshOptions(parser, &options.program, &options.end_with_stdin);
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
  parser.Example("stepscope capture --steps 5 python:4242", Say("capture.help.example-hook"));
  parser.Example("stepscope capture --every 10m --keep 100 --out watch localhost:9012",
                 Say("capture.help.example-series"));
  parser.Example("stepscope capture --via ssh:node1 pid:4242", Say("capture.help.example-via"));
  parser.Example("stepscope capture --requests 20 vllm://localhost:8000",
                 Say("capture.help.example-requests"));
  return parser;
}

CaptureChoices ChoicesOf(const CaptureOptions& options) {
  CaptureChoices choices{
      .levels = options.levels, .kineto = options.kineto, .serving = options.serving};
  choices.levels.host = static_cast<uint32_t>(options.host_level);
  choices.levels.device = static_cast<uint32_t>(options.device_level);
  choices.kineto.warm_up = std::chrono::seconds(options.warm_up_s);
  choices.kineto.shapes = !options.no_shapes;
  choices.serving.steps = options.kineto.steps;
  return choices;
}

std::vector<std::string> CaptureWords(const CaptureOptions& options) {
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
  words.push_back(TerminalLanguageWord());
  words.insert(words.end(), {"--", options.targets[0]});
  return words;
}

std::vector<std::string> ListWords(const CaptureOptions& options) {
  std::vector<std::string> words;
  if (options.output.json) words.emplace_back("--json");
  if (options.output.ascii) words.emplace_back("--ascii");
  if (options.output.width > 0) words.push_back(fmt::format("--width={}", options.output.width));
  // JSON is English unless somebody asks.
  if (!options.output.lang.empty() || !options.output.json) words.push_back(TerminalLanguageWord());
  return words;
}

}  // namespace stepscope
