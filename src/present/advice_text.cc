#include <fmt/format.h>

#include <array>
#include <string>

#include "advise/evidence.h"
#include "advise/finding.h"
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

std::string SavingLine(const Advice& advice, const Finding& finding, const Style& style) {
  if (finding.saving.hi.ns == 0) return {};
  const std::string_view of = advice.has_steps ? "a step" : "in all";
  return finding.saving.lo.ns > 0
             ? fmt::format("Save {} {}.", RangeWords(finding.saving.lo, finding.saving.hi, style),
                           of)
             : fmt::format("Save up to {} {}.", Words(finding.saving.hi), of);
}

std::string WhereOf(const Finding& finding, const Style& style) {
  if (finding.evidence.empty()) return {};
  const EvidenceItem& item = finding.evidence.front();
  std::string where;
  if (item.rank) where += fmt::format("rank {}, ", *item.rank);
  if (item.step) where += fmt::format("step {}, ", *item.step);
  // Short stretches need more digits to have two ends.
  const int decimals = item.length.ns >= 1'000'000 ? 1 : 3;
  where += fmt::format("{:.{}f} {} {:.{}f} ms", static_cast<double>(item.start.ns) / 1e6, decimals,
                       style.ascii ? "to" : "…",
                       static_cast<double>((item.start + item.length).ns) / 1e6, decimals);
  for (size_t i = 0; i < item.events.size(); ++i) {
    where += fmt::format("{} {}", i == 0 ? ", event" : ",", item.events[i]);
  }
  return where;
}

// "Do", and what to write, one thing per line.
std::string FixText(std::string_view fix, const Style& style) {
  constexpr std::string_view kDo = "Do    ";
  std::string out;
  while (!fix.empty()) {
    const size_t end = std::min(fix.find('\n'), fix.size());
    const std::string front =
        std::string(kIndent, ' ') + (out.empty() ? std::string(kDo) : std::string(kDo.size(), ' '));
    out += Wrapped(style, front, front.size(), front.size(), fix.substr(0, end));
    fix.remove_prefix(std::min(end + 1, fix.size()));
  }
  return out;
}

std::string FindingText(const Advice& advice, const Finding& finding, const Style& style) {
  std::string out =
      Under(HeadingOf(finding.severity), ColorOf(finding.severity), finding.title, style);
  const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
  if (const std::string saving = SavingLine(advice, finding, style); !saving.empty()) {
    add(finding.saving_note.empty() ? saving : saving + " " + finding.saving_note);
  }
  if (!finding.sentence.empty()) add(finding.sentence);
  for (const ExplainedBy& cause : finding.causes) {
    add(fmt::format("because: {} ({})", cause.sentence, cause.rule));
  }
  if (finding.severity != FindingSeverity::kNote) out += FixText(finding.fix, style);
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

// What did not fire: why a rule could not tell or was left out, and the others by name.
std::string RestText(const Advice& advice, const Style& style) {
  std::string out;
  const auto add = [&](const std::string& text) { out += Wrapped(style, "  ", 2, 4, text); };
  for (const CannotTellRow& row : advice.cannot_tell)
    add(fmt::format("{} needs {}", row.rule, row.needs));
  for (const IgnoredRow& row : advice.ignored)
    add(fmt::format("{} is ignored: {}", row.rule, row.reason));
  if (!advice.quiet.empty()) add(fmt::format("did not fire: {}", fmt::join(advice.quiet, ", ")));
  return out;
}

}  // namespace

std::string FindingsText(const Advice& advice, size_t most, const Style& style) {
  std::string out;
  const size_t shown = std::min(most, advice.findings.size());
  for (const Finding& finding : std::span(advice.findings).first(shown)) {
    out += Under(HeadingOf(finding.severity), ColorOf(finding.severity), finding.title, style);
    const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
    for (const ExplainedBy& cause : finding.causes) add("because: " + cause.sentence);
    if (const std::string saving = SavingLine(advice, finding, style); !saving.empty()) add(saving);
    if (finding.severity != FindingSeverity::kNote) out += FixText(FirstLine(finding.fix), style);
  }
  const size_t more = advice.findings.size() - shown;
  const std::string rest =
      more > 0 ? fmt::format("{} more finding{}, and the evidence: stepscope advise", more,
                             more == 1 ? "" : "s")
               : std::string("the evidence: stepscope advise");
  if (shown > 0) out += Under("", Color::kPlain, rest, style);
  return out;
}

std::string AdviceText(std::span<const Reported> advised, AdviceDetail detail, const Style& style) {
  std::string out;
  for (const Reported& one : advised) {
    if (advised.size() > 1) out += style.Paint(Color::kBold, style.Clean(one.trace().path)) + "\n";
    for (const Finding& finding : one.advice->findings) {
      out += FindingText(*one.advice, finding, style) + "\n";
    }
    if (one.advice->findings.empty()) out += "Nothing worth changing was found.\n\n";
    if (one.advice->joint_saving && one.advice->findings.size() > 1 &&
        one.advice->joint_saving->ns > 0) {
      out += fmt::format("All of them together, replayed: {} a step.\n",
                         Words(*one.advice->joint_saving));
    }
    out += CountLine(*one.advice);
    if (detail == AdviceDetail::kAll) out += RestText(*one.advice, style);
  }
  return out;
}

std::string GithubText(std::span<const Reported> advised) {
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
  for (const Reported& one : advised) {
    for (const Finding& finding : one.advice->findings) {
      out += fmt::format("::{} title={}::{}: {} {}\n", command(finding.severity),
                         escaped(finding.rule), escaped(one.trace().path), escaped(finding.title),
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
  return table.Render(style) + "\n" +
         Wrapped(
             style, "", 0, 0,
             "Whose: [AS] Ascend advisor, [NSYS] Nsight Systems, [SM] SageMaker Debugger, [TB] "
             "TensorBoard plugin, [TFADV] tfprof, [TFDA] tf.data analysis, [TT] torch.profiler's "
             "patterns, [XP] XProf.");
}

}  // namespace stepscope
