#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "advise/finding.h"
#include "advise/run_rates.h"
#include "advise/settings.h"
#include "base/json_document.h"
#include "cli/advise_inputs.h"
#include "cli/rule_names.h"
#include "command/ask.h"
#include "command/damage.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "present/advice.h"
#include "present/report_sections.h"
#include "study/reported.h"
#include "study/study.h"
#include "words/advice.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kAdviceTexts> Say;

constexpr std::string_view kVerb = "advise";

struct Options {
  std::vector<std::string> paths;
  OutputOptions output;
  std::vector<std::string> only, ignored;
  AdviseInputs inputs;
  std::string format = "text", fail_on, against, config, run, why;
  bool all = false;
};

OptionParser ParserFor(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] PATH...", Say("advise.about"));
  parser.Texts("--only", "RULE", Say("advise.rule"), &options.only);
  parser.Texts("--ignore", "RULE", Say("advise.without"), &options.ignored);
  parser.Flag("--all", Say("advise.all"), &options.all);
  parser.Text("--why", "RULE", Say("advise.why"), &options.why);
  parser.Choice("--format", {"text", "json", "sarif", "github"}, Say("advise.format"),
                &options.format);
  parser.Text("--run", "NAME", Say("cli.run"), &options.run);
  parser.Section(Say("advise.gate"));
  parser.Choice("--fail-on", {"high", "medium", "low"}, Say("advise.fail-on"), &options.fail_on);
  parser.Text("--against", "BASE.json", Say("advise.baseline"), &options.against);
  AddConfigOption(parser, &options.config);
  parser.Section(Say("advise.known"));
  AddInputOptions(parser, &options.inputs);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope advise trace.json.gz", Say("advise.example"));
  parser.Example("stepscope advise --fail-on high trace.json.gz", Say("advise.example-gate"));
  parser.Example("stepscope advise --why input-bound-step trace.json.gz",
                 Say("advise.example-why"));
  parser.Example("stepscope advise full/ --trivial trivial/ --synthetic synthetic/",
                 Say("advise.example-input"));
  parser.Example("stepscope advise --machine doctor.json --log job.log ranks/",
                 Say("advise.example-all"));
  return parser;
}

// Findings of an earlier run: what is in it is known and does not fail the gate.
Result<std::vector<std::string>> KnownFindings(const std::string& file) {
  std::vector<std::string> known;
  if (file.empty()) return known;
  const Result<JsonValue> base = ReadJsonFile(file);
  if (!base) return std::unexpected(base.error());
  const auto add = [&](const JsonValue& advice) {
    for (const JsonValue& finding : advice["findings"].items())
      known.push_back(finding["rule"].text());
  };
  add(*base);
  for (const char* several : {"advices", "reports"}) {
    for (const JsonValue& one : (*base)[several].items()) add(one);
  }
  if (known.empty() && (*base)["schema"].is_null()) {
    return Fail(ErrorCode::kUsage, Say("advise.not-output"), file, Say("advise.write-one"));
  }
  return known;
}

bool FailsGate(std::span<const Reported> advised, const Options& options,
               const std::vector<std::string>& known) {
  if (options.fail_on.empty()) return false;
  const FindingSeverity least = options.fail_on == "high"     ? FindingSeverity::kHigh
                                : options.fail_on == "medium" ? FindingSeverity::kMedium
                                                              : FindingSeverity::kLow;
  for (const Reported& one : advised) {
    for (const Finding& finding : one.advice->findings) {
      const bool old = std::find(known.begin(), known.end(), finding.rule) != known.end();
      if (finding.severity <= least && !old) return true;
    }
  }
  return false;
}

// What --rates, --trivial and --synthetic come to, whether it is a finding or not.
std::string RatesText(const Given& given, const Limits& limits, const Style& style) {
  if (!given.rates) return "";
  const Message sentence = RatesSentence(*given.rates, limits[Limit::kTrivialRatio]);
  if (sentence.empty()) return "";
  return Labelled(style, style.Say(Say("advice.rates")), style.Clean(style.Say(sentence))) + "\n";
}

std::string Printed(std::span<const Reported> advised, const Options& options, const Given& given,
                    const Limits& limits) {
  std::string out;
  if (options.output.json || options.format == "json") {
    WriteAdviceJson(advised, JsonLanguage(options.output), out);
  } else if (options.format == "sarif") {
    WriteSarif(advised, JsonLanguage(options.output), out);
  } else if (options.format == "github") {
    out = GithubText(advised, JsonLanguage(options.output));
  } else if (!options.why.empty()) {
    out = WhyText(*FindRule(options.why), advised, limits, StyleFor(options.output));
  } else {
    const Style style = StyleFor(options.output);
    out = RatesText(given, limits, style) +
          AdviceText(advised, options.all ? AdviceDetail::kAll : AdviceDetail::kFindings, style);
  }
  return out;
}

Result<int> Run(const Options& options) {
  for (const auto* list : {&options.only, &options.ignored}) {
    for (const std::string& id : *list) {
      if (const Result<const Rule*> rule = RuleNamed(id); !rule)
        return std::unexpected(rule.error());
    }
  }
  if (!options.why.empty()) {
    if (const Result<const Rule*> rule = RuleNamed(options.why); !rule)
      return std::unexpected(rule.error());
  }
  const Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  AdviseOptions rules{options.only, settings->ignored};
  if (!options.why.empty()) rules.only = {options.why};
  for (const std::string& rule : options.ignored) rules.ignored.try_emplace(rule, "--ignore");
  const Result<std::vector<std::string>> known = KnownFindings(options.against);
  if (!known) return std::unexpected(known.error());

  // A gate that passes because half of the file is missing is none.
  if (!options.fail_on.empty()) BeStrict();
  ProgressBar bar;
  const Result<std::unique_ptr<Study>> opened =
      Study::Open(options.paths, {.run = options.run,
                                  .settings = *settings,
                                  .threads = static_cast<unsigned>(options.output.threads),
                                  .progress = bar.callback(),
                                  .ask = AskUser()});
  if (!opened) return std::unexpected(opened.error());
  Study& study = **opened;
  const Result<Given> given = LoadInputs(options.inputs, study);
  if (!given) return std::unexpected(given.error());
  const std::vector<Advice> advice = study.Advise(rules, *given);
  const std::vector<Reported> advised = study.ReportedWith(advice);
  bar.Finish();
  const Result<void> written = WriteOut(Printed(advised, options, *given, settings->limits));
  if (!written) return std::unexpected(written.error());
  return FailsGate(advised, options, *known) ? kExitGateFailed : kExitFine;
}

}  // namespace

int RunAdvise(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, Run(options));
}

}  // namespace stepscope
