#include <fmt/core.h>

#include <array>
#include <string>

#include "advise/evidence.h"
#include "advise/words.h"
#include "present/advice.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

constexpr size_t kIndent = 8;

Color ColorOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kHigh:
      return Color::kRed;
    case FindingSeverity::kMedium:
      return Color::kYellow;
    case FindingSeverity::kLow:
      return Color::kCyan;
    case FindingSeverity::kNote:
      return Color::kDim;
  }
  return Color::kPlain;
}

std::string_view HeadingOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kHigh:
      return "HIGH";
    case FindingSeverity::kMedium:
      return "MEDIUM";
    case FindingSeverity::kLow:
      return "LOW";
    case FindingSeverity::kNote:
      return "NOTE";
  }
  return "";
}

// Text after a front that fills the indent, wrapped under itself.
std::string Under(std::string_view front, Color color, std::string_view text, const Style& style) {
  std::string filled(front);
  filled.resize(std::max(kIndent, front.size()), ' ');
  return Wrapped(style, style.Paint(color, filled), filled.size(), kIndent, text);
}

// "128 … 140 ms", "3.2 ms" where the two read the same.
std::string RangeWords(DurationNs lo, DurationNs hi, const Style& style) {
  std::string from = Words(lo);
  const std::string to = Words(hi);
  if (from == to) return from;
  const std::string unit = to.substr(to.find(' '));
  if (from.ends_with(unit)) from.resize(from.size() - unit.size());
  return fmt::format("{} {} {}", from, style.ascii ? "to" : "…", to);
}

std::string SavingLine(const Finding& finding, const Style& style) {
  if (finding.saving.hi.ns == 0) return {};
  return finding.saving.lo.ns > 0
             ? fmt::format("Save {} a step.",
                           RangeWords(finding.saving.lo, finding.saving.hi, style))
             : fmt::format("Save up to {} a step.", Words(finding.saving.hi));
}

std::string WhereOf(const Finding& finding, const Style& style) {
  if (finding.evidence.empty()) return {};
  const EvidenceItem& item = finding.evidence.front();
  std::string where;
  if (item.rank) where += fmt::format("rank {}, ", *item.rank);
  if (item.step) where += fmt::format("step {}, ", *item.step);
  where += fmt::format("{:.1f} {} {:.1f} ms", static_cast<double>(item.start.ns) / 1e6,
                       style.ascii ? "to" : "…",
                       static_cast<double>((item.start + item.length).ns) / 1e6);
  for (size_t i = 0; i < item.events.size(); ++i) {
    where += fmt::format("{} {}", i == 0 ? ", event" : ",", item.events[i]);
  }
  return where;
}

std::string FindingText(const Finding& finding, const Style& style) {
  std::string out =
      Under(HeadingOf(finding.severity), ColorOf(finding.severity), finding.title, style);
  const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
  if (const std::string saving = SavingLine(finding, style); !saving.empty()) {
    add(finding.saving_note.empty() ? saving : saving + " " + finding.saving_note);
  }
  if (!finding.sentence.empty()) add(finding.sentence);
  for (const ExplainedBy& cause : finding.causes) {
    add(fmt::format("because: {} ({})", cause.sentence, cause.rule));
  }
  const bool advises = finding.severity != FindingSeverity::kNote;
  if (advises && !finding.fix.empty()) add("Do    " + finding.fix);
  const std::string where = WhereOf(finding, style);
  const std::string explain = fmt::format("stepscope explain {}", finding.rule);
  // A command is not broken over two lines.
  const bool fits = kIndent + where.size() + explain.size() + 10 <= style.width;
  if (where.empty()) {
    add(explain);
  } else if (fits) {
    add("See   " + where + "   " + explain);
  } else {
    add("See   " + where);
    add("      " + explain);
  }
  return out;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string CountLine(const Advice& advice) {
  const size_t checked = advice.fired.size() + advice.quiet.size() + advice.cannot_tell.size();
  const bool more = !advice.cannot_tell.empty() || !advice.ignored.empty();
  return fmt::format(
      "Checked {} rule{}: {} fired, {} did not, {} could not tell{}{}\n", checked,
      checked == 1 ? "" : "s", advice.fired.size(), advice.quiet.size(), advice.cannot_tell.size(),
      advice.ignored.empty() ? std::string() : fmt::format("; {} ignored", advice.ignored.size()),
      more ? " (why: --all)" : "");
}

}  // namespace

std::string FindingsText(const Advice& advice, size_t most, const Style& style) {
  std::string out;
  const size_t shown = std::min(most, advice.findings.size());
  for (const Finding& finding : std::span(advice.findings).first(shown)) {
    out += Under(HeadingOf(finding.severity), ColorOf(finding.severity), finding.title, style);
    const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
    for (const ExplainedBy& cause : finding.causes) add("because: " + cause.sentence);
    if (const std::string saving = SavingLine(finding, style); !saving.empty()) add(saving);
    const bool advice_itself = finding.severity != FindingSeverity::kNote;
    if (advice_itself && !finding.fix.empty()) add("Do    " + FirstLine(finding.fix));
  }
  const size_t more = advice.findings.size() - shown;
  const std::string rest =
      more > 0 ? fmt::format("{} more finding{}, and the evidence: stepscope advise", more,
                             more == 1 ? "" : "s")
               : std::string("the evidence: stepscope advise");
  if (shown > 0) out += Under("", Color::kPlain, rest, style);
  return out;
}

std::string AdviceText(std::span<const Advised> advised, AdviceDetail detail, const Style& style) {
  std::string out;
  for (const Advised& one : advised) {
    if (advised.size() > 1) out += style.Paint(Color::kBold, style.Clean(one.trace->path)) + "\n";
    for (const Finding& finding : one.advice->findings) out += FindingText(finding, style) + "\n";
    if (one.advice->findings.empty()) out += "Nothing worth changing was found.\n\n";
    if (one.advice->joint_saving && one.advice->findings.size() > 1 &&
        one.advice->joint_saving->ns > 0) {
      out += fmt::format("All of them together, replayed: {} a step.\n",
                         Words(*one.advice->joint_saving));
    }
    out += CountLine(*one.advice);
    if (detail == AdviceDetail::kAll) {
      for (const CannotTellRow& row : one.advice->cannot_tell)
        out += fmt::format("  {} needs {}\n", row.rule, row.needs);
      for (const IgnoredRow& row : one.advice->ignored)
        out += fmt::format("  {} is ignored: {}\n", row.rule, style.Clean(row.reason));
      for (const std::string_view rule : one.advice->quiet)
        out += fmt::format("  {} did not fire\n", rule);
    }
  }
  return out;
}

std::string GithubText(std::span<const Advised> advised) {
  const auto command = [](FindingSeverity severity) {
    switch (severity) {
      case FindingSeverity::kHigh:
        return "error";
      case FindingSeverity::kMedium:
        return "warning";
      case FindingSeverity::kLow:
        return "notice";
      case FindingSeverity::kNote:
        return "notice";
    }
    return "notice";
  };
  // Workflow commands end at a line end and treat % as an escape.
  const auto escaped = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '%')
        out += "%25";
      else if (c == '\n')
        out += "%0A";
      else if (c == '\r')
        out += "%0D";
      else
        out += c;
    }
    return out;
  };
  std::string out;
  for (const Advised& one : advised) {
    for (const Finding& finding : one.advice->findings) {
      out += fmt::format("::{} title={}::{}: {} {}\n", command(finding.severity),
                         escaped(finding.rule), escaped(one.trace->path), escaped(finding.title),
                         escaped(finding.sentence));
    }
  }
  return out;
}

std::string ExplainText(const Rule& rule, const Style& style) {
  const RuleWords& words = WordsOf(rule.id);
  std::string out = style.Paint(Color::kBold, rule.id) + "\n";
  const std::array rows{std::pair("Symptom", words.symptom),
                        std::pair("Told by", words.detection),
                        std::pair("Limit", words.threshold),
                        std::pair("Saving", words.saving),
                        std::pair("PyTorch", words.pytorch),
                        std::pair("TF", words.tensorflow),
                        std::pair("JAX", words.jax),
                        std::pair("ORT", words.onnx_runtime),
                        std::pair("Beware", words.false_alarms),
                        std::pair("Refuted", words.refuted_by),
                        std::pair("Sources", words.sources),
                        std::pair("Causes", rule.explains)};
  for (const auto& [name, text] : rows) {
    if (!text.empty()) out += Under(std::string(name) + " ", Color::kCyan, text, style);
  }
  return out;
}

std::string RuleListText(const Style& style) {
  Table table("Rules",
              {{"", Align::kLeft, Fit::kKeep}, {"what it finds", Align::kLeft, Fit::kShorten}});
  for (const Rule& rule : AllRules())
    table.AddRow({std::string(rule.id), std::string(WordsOf(rule.id).symptom)});
  return table.Render(style) + "\nstepscope explain RULE tells more.\n";
}

std::string ThresholdsText(const Limits& limits, const Style& style) {
  Table table("Thresholds", {{"", Align::kLeft, Fit::kKeep},
                             {"value", Align::kRight, Fit::kKeep},
                             {"unit", Align::kLeft, Fit::kKeep},
                             {"whose", Align::kLeft, Fit::kShorten}});
  for (const LimitRow& row : LimitTable()) {
    table.AddRow({std::string(row.name), fmt::format("{}", limits[row.limit]),
                  std::string(row.unit), std::string(row.source)});
  }
  return table.Render(style);
}

}  // namespace stepscope
