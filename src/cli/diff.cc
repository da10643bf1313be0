#include "diff/diff.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/advise_inputs.h"
#include "command/ask.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "diff/baseline.h"
#include "diff/diff_html.h"
#include "diff/diff_output.h"
#include "diff/open_side.h"
#include "io/atomic_file.h"
#include "tools/tfprof/profile_run.h"
#include "words/cli.h"
#include "words/diff.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDiffTexts, kCliTexts> Say;

constexpr std::string_view kVerb = "diff";

struct Options {
  std::vector<std::string> base, now;
  std::string base_glob, now_glob, save_baseline, html, config, format = "text", by = "op",
                                                                key = "default";
  std::vector<diff::GateOn> fail_on;
  OutputOptions output;
  ReportOptions report;
  diff::Settings settings;
  int64_t top = 12;
};

// "3%", "3 %" or "0.03".
Sentences ParseShare(std::string_view text, double& into) {
  std::string number(text);
  double scale = 1;
  if (number.ends_with('%')) {
    number.pop_back();
    scale = 0.01;
  }
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  while (end != nullptr && *end == ' ') ++end;
  const double share = value * scale;
  if (end == number.c_str() || *end != '\0' || !(share > 0 && share < 1)) {
    return Say("diff.takes-share");
  }
  into = share;
  return {};
}

Sentences ParseGates(std::string_view text, std::vector<diff::GateOn>& into) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::optional<diff::GateOn> gate = diff::GateNamed(text.substr(0, end));
    if (!gate) return Say("diff.takes-gates");
    into.push_back(*gate);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] BASE NEW | BASE... -- NEW...", Say("diff.help.about"));
  parser.Custom("--threshold", "SHARE", Say("diff.help.threshold"), [&](std::string_view text) {
    return ParseShare(text, options.settings.threshold);
  });
  parser.Custom("--alpha", "P", Say("diff.help.alpha"),
                [&](std::string_view text) { return ParseShare(text, options.settings.alpha); });
  parser.Custom("--steps", "A-B", Say("report.help.steps"), [&](std::string_view text) {
    return ParseStepRange(text, options.report.steps.first, options.report.steps.last);
  });
  parser.Text("--device", "ID", Say("report.help.device"), &options.report.device);
  parser.Choice("--by", {"op", "module", "kernel", "category", "line"}, Say("diff.help.by"),
                &options.by);
  parser.Text("--base", "GLOB", Say("diff.help.base"), &options.base_glob);
  parser.Text("--new", "GLOB", Say("diff.help.new"), &options.now_glob);
  parser.Custom("--fail-on", "WHAT", Say("diff.help.fail-on"),
                [&](std::string_view text) { return ParseGates(text, options.fail_on); });
  parser.Flag("--force", Say("diff.help.force"), &options.settings.force);
  parser.Choice("--format", {"text", "json", "markdown", "junit", "sarif", "github"},
                Say("diff.help.format"), &options.format);
  parser.Text("--key", "NAME", Say("diff.help.key"), &options.key);
  parser.Text("--save-baseline", "FILE", Say("diff.help.save"), &options.save_baseline);
  parser.Text("--html", "FILE", Say("diff.help.html"), &options.html);
  parser.Integer("--top", "N", Say("diff.help.top"), &options.top, 1, 100'000);
  AddConfigOption(parser, &options.config);
  AddOutputOptions(parser, &options.output);
  parser.Example("stepscope diff before.json.gz after.json.gz", Say("diff.help.example"));
  parser.Example("stepscope diff before/*.gz -- after/*.gz", Say("diff.help.example-runs"));
  parser.Example("stepscope diff --save-baseline main.json run*.json.gz",
                 Say("diff.help.example-save"));
  parser.Example("stepscope diff main.json -- run*.json.gz --fail-on slower,memory",
                 Say("diff.help.example-gate"));
  parser.Example("stepscope diff --format markdown main.json new.json.gz",
                 Say("diff.help.example-markdown"));
  return parser;
}

std::unexpected<Error> WrongSides(Message sentence) {
  return Fail(ErrorCode::kUsage, std::move(sentence), {}, Say("diff.two-sides"));
}

// Paths before and after "--". Two paths alone are one a side; options may stand on both sides.
Result<OptionParser::Outcome> ParseSides(std::span<char*> arguments, Options& options) {
  const auto border = std::find_if(arguments.begin(), arguments.end(),
                                   [](const char* word) { return std::string_view(word) == "--"; });
  std::vector<std::string> before, after;
  OptionParser parser = Parser(options);
  parser.Positionals("PATH", &before);
  const auto at = static_cast<size_t>(border - arguments.begin());
  Result<OptionParser::Outcome> parsed = parser.Parse(arguments.first(at));
  if (!parsed || *parsed == OptionParser::Outcome::kHelp) return parsed;
  const bool has_border = border != arguments.end();
  if (has_border) {
    OptionParser rest = Parser(options);
    rest.Positionals("PATH", &after);
    parsed = rest.Parse(arguments.subspan(at + 1));
    if (!parsed || *parsed == OptionParser::Outcome::kHelp) return parsed;
  }
  for (const auto& [glob, paths] :
       {std::pair(&options.base_glob, &before), std::pair(&options.now_glob, &after)}) {
    if (glob->empty()) continue;
    Result<std::vector<std::string>> found = diff::Globbed(*glob);
    if (!found) return std::unexpected(std::move(found.error()));
    paths->insert(paths->end(), found->begin(), found->end());
  }
  if (!has_border && after.empty() && before.size() == 2 && options.save_baseline.empty()) {
    after = {before[1]};
    before.pop_back();
  }
  const bool only_saves = after.empty() && !has_border && !options.save_baseline.empty();
  if (before.empty()) return WrongSides(Say("diff.no-base"));
  if (after.empty() && !only_saves) {
    return WrongSides(before.size() == 1 ? Say("diff.one-path") : Say("diff.border"));
  }
  options.base = std::move(before);
  options.now = std::move(after);
  return OptionParser::Outcome::kRun;
}

std::string Shown(const diff::Diff& compared, const diff::Gate& gate, const Options& options) {
  const Language language = JsonLanguage(options.output);
  if (options.output.json || options.format == "json") {
    std::string out;
    diff::WriteDiffJson(compared, gate, language, out);
    return out;
  }
  if (options.format == "markdown")
    return diff::DiffMarkdown(compared, gate, options.key, language);
  if (options.format == "junit") return diff::DiffJunit(compared, language);
  if (options.format == "sarif") return diff::DiffSarif(compared, language);
  if (options.format == "github") return diff::DiffGithub(compared, gate, language);
  return diff::DiffText(compared, gate,
                        {StyleFor(options.output), static_cast<size_t>(options.top)});
}

Result<int> Run(Options& options) {
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  ProgressBar bar;
  const StudyOptions study{.run = {},
                           .report = options.report,
                           .settings = std::move(*settings),
                           .threads = static_cast<unsigned>(options.output.threads),
                           .progress = bar.callback(),
                           .ask = AskUser()};
  options.settings.device = options.report.device;
  options.settings.by = *diff::ByNamed(options.by);
  Result<std::vector<diff::Run>> base = diff::OpenSide(options.base, study, ReadTfprofRuns);
  if (!base) return std::unexpected(std::move(base.error()));
  Result<std::vector<diff::Run>> now;
  if (!options.now.empty()) now = diff::OpenSide(options.now, study, ReadTfprofRuns);
  if (!now) return std::unexpected(std::move(now.error()));
  bar.Finish();
  if (!options.save_baseline.empty()) {
    const Result<void> saved =
        WriteFile(options.save_baseline, diff::BaselineJson(options.now.empty() ? *base : *now));
    if (!saved) return std::unexpected(saved.error());
  }
  if (options.now.empty()) return kExitFine;
  const diff::Diff compared = diff::Compare(std::move(*base), std::move(*now), options.settings);
  const diff::Gate gate = diff::CheckGate(compared, options.fail_on);
  const Result<void> written = WriteOut(Shown(compared, gate, options));
  if (!written) return std::unexpected(written.error());
  if (!options.html.empty()) {
    const Result<std::string> page =
        diff::DiffHtml(compared, options.base, options.now, JsonLanguage(options.output), study);
    if (!page) return std::unexpected(page.error());
    const Result<void> kept = WriteFile(options.html, *page);
    if (!kept) return std::unexpected(kept.error());
  }
  return gate.state == diff::Gate::State::kFailed ? kExitGateFailed : kExitFine;
}

}  // namespace

int RunDiff(std::span<char*> arguments) {
  Options options;
  const Result<OptionParser::Outcome> parsed = ParseSides(arguments, options);
  if (!parsed) return PrintError(kVerb, parsed.error());
  if (*parsed == OptionParser::Outcome::kHelp) {
    return ExitCodeAfter(kVerb, WriteOut(Parser(options).Help()));
  }
  return ExitCodeAfter(kVerb, Run(options));
}

}  // namespace stepscope
