#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "advise/finding.h"
#include "advise/words.h"
#include "analyze/report.h"
#include "present/advice.h"
#include "present/report_sections.h"
#include "present/unicode.h"
#include "present/units.h"
#include "present/words.h"
#include "words/labels.h"

namespace stepscope {
namespace {

constexpr SayFrom<kLabelTexts> Say;

constexpr size_t kIndent = 10;

std::string Line(const std::string& name, std::string_view text, const Style& style) {
  std::string front = name;
  front.append(kIndent - std::min(kIndent - 1, DisplayWidth(name)), ' ');
  return Wrapped(style, style.Paint(Color::kCyan, front), std::max(kIndent, DisplayWidth(front)),
                 kIndent, text);
}

// What the rule came to, in a sentence.
std::string Outcome(const Rule& rule, const Advice& advice, const Style& style) {
  for (const CannotTellRow& row : advice.cannot_tell) {
    if (row.rule == rule.id) return style.Say(Say("label.needs", row.rule, row.needs));
  }
  for (const Finding& finding : advice.findings) {
    if (finding.rule == rule.id) {
      return style.Say(Say("label.why-fired", finding.title));
    }
  }
  return style.Say(Say("label.why-quiet"));
}

// The facts that most rules compare: the step, what the device does in it, why it idles.
std::string Facts(const Reported& one, const Style& style) {
  const StepStatistics& steps = one.report->step_statistics;
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : "; ") + fact; };
  if (steps.median) {
    add(style.Say(Say("label.why-step", *steps.median, steps.used)));
    if (steps.unprofiled_median) {
      add(style.Say(Say("label.why-unprofiled", *steps.unprofiled_median)));
    }
  }
  const Verdict& verdict = one.report->verdict;
  if (verdict.step == kNoRow || verdict.step >= one.report->breakdown.size()) return text;
  for (const DeviceStep& device : one.report->breakdown[verdict.step].devices) {
    if (device.device != verdict.device) continue;
    add(style.Say(Say("label.why-busy", device.busy)));
    for (size_t c = 0; c < kCauses; ++c) {
      if (device.idle_causes[c].ns == 0) continue;
      add(style.Say(Say("label.why-idle", CauseInWords(static_cast<Cause>(c), one.linked->steps),
                        device.idle_causes[c])));
    }
  }
  return text;
}

}  // namespace

std::string WhyText(const Rule& rule, std::span<const Reported> advised, const Limits& limits,
                    const Style& style) {
  std::string out;
  for (const Reported& one : advised) {
    if (advised.size() > 1) out += style.Paint(Color::kBold, style.Clean(one.trace().path)) + "\n";
    out += style.Paint(Color::kBold, rule.id) + "\n";
    out += Line("", Outcome(rule, *one.advice, style), style);
    if (const std::string facts = Facts(one, style); !facts.empty()) {
      out += Line(style.Say(Say("label.why-facts")), facts, style);
    }
    const auto add = [&](const std::string& name, std::string_view part) {
      const std::string text = style.Say(RuleText(rule.id, part, limits));
      if (!text.empty()) out += Line(name, text, style);
    };
    add(style.Say(Say("label.told-by")), "detection");
    add(style.Say(Say("label.limit")), "threshold");
    add(style.Say(Say("label.refuted")), "refuted_by");
    out += Line("", style.Say(Say("label.why-change", rule.id)), style);
  }
  return out;
}

}  // namespace stepscope
