#include <string>
#include <vector>

#include "advise/rule.h"
#include "advise/settings.h"
#include "base/nearest.h"
#include "cli/advise_inputs.h"
#include "cli/rule_names.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "present/advice.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

Result<std::string> Explain(const std::vector<std::string>& names, bool thresholds,
                            const std::string& config, const OutputOptions& output) {
  const Style style = StyleFor(output);
  const Result<Settings> settings = LoadSettings(config);
  if (!settings) return std::unexpected(settings.error());
  const Limits& limits = settings->limits;
  if (thresholds) return ThresholdsText(limits, style);
  std::vector<Rule> rules;
  for (const std::string& name : names) {
    const Result<const Rule*> rule = RuleNamed(name);
    if (!rule) return std::unexpected(rule.error());
    rules.push_back(**rule);
  }
  std::string out;
  if (output.json) {
    WriteRulesJson(names.empty() ? std::span<const Rule>(AllRules()) : rules, limits,
                   JsonLanguage(output), out);
  } else if (names.empty()) {
    out = RuleListText(limits, style);
  } else {
    for (const Rule& rule : rules)
      out += (out.empty() ? "" : "\n") + ExplainText(rule, limits, style);
  }
  return out;
}

}  // namespace

int RunExplain(std::span<char*> arguments) {
  OutputOptions output;
  std::vector<std::string> names;
  bool thresholds = false;
  std::string config;
  OptionParser parser("explain", "[RULE...]", Say("explain.about"));
  parser.Flag("--thresholds", Say("explain.thresholds"), &thresholds);
  AddConfigOption(parser, &config);
  AddOutputOptions(parser, &output);
  parser.Positionals("RULE", &names);
  parser.Example("stepscope explain input-bound-step", Say("explain.example"));
  parser.Example("stepscope explain --thresholds", Say("explain.example-thresholds"));
  if (const auto ended = ParseOrHelp("explain", parser, arguments)) return *ended;
  const Result<std::string> text = Explain(names, thresholds, config, output);
  return ExitCodeAfter("explain", text);
}

}  // namespace stepscope
