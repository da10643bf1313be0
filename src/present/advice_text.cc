#include <fmt/format.h>

#include <array>
#include <string>

#include "advise/evidence.h"
#include "advise/finding.h"
#include "advise/words.h"
#include "present/advice.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/unicode.h"
#include "words/labels.h"

namespace stepscope {
namespace {

constexpr SayFrom<kLabelTexts> Say;

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

Message HeadingOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kHigh:
      return Say("label.high");
    case FindingSeverity::kMedium:
      return Say("label.medium");
    case FindingSeverity::kLow:
      return Say("label.low");
    case FindingSeverity::kNote:
      return Say("label.note");
  }
  return {};
}

// Text after a front that fills the indent, wrapped under itself.
std::string Under(std::string_view front, Color color, std::string_view text, const Style& style) {
  std::string filled(front);
  filled.append(kIndent - std::min(kIndent, DisplayWidth(front)), ' ');
  return Wrapped(style, style.Paint(color, filled), DisplayWidth(filled), kIndent, text);
}

// "128 … 140 ms", "3.2 ms" where the two read the same.
std::string RangeWords(DurationNs lo, DurationNs hi, const Style& style) {
  std::string from = InWords(lo);
  const std::string to = InWords(hi);
  if (from == to) return from;
  const std::string unit = to.substr(to.find(' '));
  if (from.ends_with(unit)) from.resize(from.size() - unit.size());
  return fmt::format("{} {} {}", from, style.ascii ? style.Say(Say("label.to")) : "…", to);
}

std::string SavingLine(const Advice& advice, const Finding& finding, const Style& style) {
  if (finding.saving.hi.ns == 0) return {};
  Message each = advice.has_steps ? Say("label.a-step") : Say("label.in-all");
  const Saving& saving = finding.saving;
  return style.Say(saving.lo.ns > 0
                       ? Say("label.save", RangeWords(saving.lo, saving.hi, style), std::move(each))
                       : Say("label.save-up-to", saving.hi, std::move(each)));
}

std::string WhereOf(const Finding& finding, const Style& style) {
  if (finding.evidence.empty()) return {};
  const EvidenceItem& item = finding.evidence.front();
  std::string where;
  if (item.rank) where += style.Say(Say("label.rank", *item.rank)) + ", ";
  if (item.step) where += style.Say(Say("label.step", *item.step)) + ", ";
  // Short stretches need more digits to have two ends.
  const int decimals = item.length.ns >= 1'000'000 ? 1 : 3;
  where += fmt::format("{:.{}f} {} {:.{}f} ms", static_cast<double>(item.start.ns) / 1e6, decimals,
                       style.ascii ? style.Say(Say("label.to")) : "…",
                       static_cast<double>((item.start + item.length).ns) / 1e6, decimals);
  if (!item.events.empty()) {
    where += ", " + style.Say(Say("label.event", fmt::format("{}", fmt::join(item.events, ", "))));
  }
  return where;
}

// Text filled up to so many columns.
std::string Filled(std::string text, size_t columns) {
  text.append(columns - std::min(columns, DisplayWidth(text)), ' ');
  return text;
}

// "Do", and what to write, one thing per line.
std::string FixText(std::string_view fix, const Style& style) {
  const std::string front_of_first = Filled(style.Say(Say("label.do")), 6);
  std::string out;
  while (!fix.empty()) {
    const size_t end = std::min(fix.find('\n'), fix.size());
    const std::string front =
        std::string(kIndent, ' ') + (out.empty() ? front_of_first : std::string(6, ' '));
    out += Wrapped(style, front, kIndent + 6, kIndent + 6, fix.substr(0, end));
    fix.remove_prefix(std::min(end + 1, fix.size()));
  }
  return out;
}

std::string FindingText(const Advice& advice, const Finding& finding, const Style& style) {
  std::string out = Under(style.Say(HeadingOf(finding.severity)), ColorOf(finding.severity),
                          style.Say(finding.title), style);
  const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
  if (const std::string saving = SavingLine(advice, finding, style); !saving.empty()) {
    // The note follows as the language separates sentences.
    const std::string note = style.Say(finding.saving_note);
    add(saving + (note.empty() || style.language == Language::kChinese ? "" : " ") + note);
  }
  if (!finding.sentence.empty()) add(style.Say(finding.sentence));
  for (const ExplainedBy& cause : finding.causes) {
    add(style.Say(Say("label.because-rule", cause.sentence, cause.rule)));
  }
  if (finding.severity != FindingSeverity::kNote)
    out += FixText(RenderLines(finding.fix, style.language), style);
  const std::string where = WhereOf(finding, style);
  const std::string explain = fmt::format("stepscope explain {}", finding.rule);
  const std::string see = Filled(style.Say(Say("label.see")), 6);
  // A command is not broken over two lines.
  const bool fits = kIndent + DisplayWidth(where) + explain.size() + 10 <= style.width;
  if (where.empty()) {
    add(explain);
  } else if (fits) {
    add(see + where + "   " + explain);
  } else {
    add(see + where);
    add("      " + explain);
  }
  return out;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string CountLine(const Advice& advice, const Style& style) {
  const size_t checked = advice.fired.size() + advice.quiet.size() + advice.cannot_tell.size();
  std::string line = style.Say(Say("label.checked", checked, advice.fired.size(),
                                   advice.quiet.size(), advice.cannot_tell.size()));
  if (!advice.ignored.empty()) line += style.Say(Say("label.ignored", advice.ignored.size()));
  if (!advice.cannot_tell.empty() || !advice.ignored.empty())
    line += style.Say(Say("label.why-all"));
  return line + "\n";
}

// What did not fire: why a rule could not tell or was left out, and the others by name.
std::string RestText(const Advice& advice, const Style& style) {
  std::string out;
  const auto add = [&](const std::string& text) { out += Wrapped(style, "  ", 2, 4, text); };
  for (const CannotTellRow& row : advice.cannot_tell)
    add(style.Say(Say("label.needs", row.rule, row.needs)));
  for (const IgnoredRow& row : advice.ignored)
    add(style.Say(Say("label.is-ignored", row.rule, row.reason)));
  if (!advice.quiet.empty()) {
    add(style.Say(Say("label.did-not-fire", fmt::format("{}", fmt::join(advice.quiet, ", ")))));
  }
  return out;
}

}  // namespace

std::string FindingsText(const Advice& advice, size_t most, const Style& style) {
  std::string out;
  const size_t shown = std::min(most, advice.findings.size());
  for (const Finding& finding : std::span(advice.findings).first(shown)) {
    out += Under(style.Say(HeadingOf(finding.severity)), ColorOf(finding.severity),
                 style.Say(finding.title), style);
    const auto add = [&](std::string_view text) { out += Under("", Color::kPlain, text, style); };
    for (const ExplainedBy& cause : finding.causes) {
      add(style.Say(Say("label.because", cause.sentence)));
    }
    if (const std::string saving = SavingLine(advice, finding, style); !saving.empty()) add(saving);
    if (finding.severity != FindingSeverity::kNote)
      out += FixText(FirstLine(RenderLines(finding.fix, style.language)), style);
  }
  const size_t more = advice.findings.size() - shown;
  const Message rest = more > 0 ? Say("label.more", more) : Say("label.evidence");
  if (shown > 0) out += Under("", Color::kPlain, style.Say(rest), style);
  return out;
}

std::string AdviceText(std::span<const Reported> advised, AdviceDetail detail, const Style& style) {
  std::string out;
  for (const Reported& one : advised) {
    if (advised.size() > 1) out += style.Paint(Color::kBold, style.Clean(one.trace().path)) + "\n";
    const Advice& advice = *one.advice;
    if (advice.unprofiled && !advice.findings.empty() &&
        ProfilerMatters(advice.step, *advice.unprofiled)) {
      out += Wrapped(style, "", 0, 0,
                     style.Say(Say("label.both-steps", advice.step, *advice.unprofiled))) +
             "\n";
    }
    for (const Finding& finding : one.advice->findings) {
      out += FindingText(*one.advice, finding, style) + "\n";
    }
    if (one.advice->findings.empty()) {
      out += style.Say(Say("label.nothing")) + "\n\n";
    }
    if (one.advice->joint_saving && one.advice->findings.size() > 1 &&
        one.advice->joint_saving->ns > 0) {
      out += Wrapped(style, "", 0, 0, style.Say(Say("label.together", *one.advice->joint_saving)));
    }
    out += CountLine(*one.advice, style);
    if (detail == AdviceDetail::kAll) out += RestText(*one.advice, style);
  }
  return out;
}

std::string GithubText(std::span<const Reported> advised, Language language) {
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
                         escaped(finding.rule), escaped(one.trace().path),
                         escaped(Render(finding.title, language)),
                         escaped(Render(finding.sentence, language)));
    }
  }
  return out;
}

std::string ExplainText(const Rule& rule, const Limits& limits, const Style& style) {
  std::string out = style.Paint(Color::kBold, rule.id) + "\n";
  const auto add = [&](const std::string& name, std::string_view text) {
    if (!text.empty()) out += Under(name + " ", Color::kCyan, text, style);
  };
  const std::array rows{std::pair(style.Say(Say("label.symptom")), "symptom"),
                        std::pair(style.Say(Say("label.told-by")), "detection"),
                        std::pair(style.Say(Say("label.limit")), "threshold"),
                        std::pair(style.Say(Say("label.saving")), "saving"),
                        std::pair(std::string("PyTorch"), "pytorch"),
                        std::pair(std::string("TF"), "tensorflow"),
                        std::pair(std::string("JAX"), "jax"),
                        std::pair(std::string("ORT"), "onnx_runtime"),
                        std::pair(style.Say(Say("label.others")), "other"),
                        std::pair(style.Say(Say("label.beware")), "false_alarms"),
                        std::pair(style.Say(Say("label.refuted")), "refuted_by"),
                        std::pair(style.Say(Say("label.sources")), "sources")};
  for (const auto& [name, part] : rows) add(name, style.Say(RuleText(rule.id, part, limits)));
  add(style.Say(Say("label.causes")), rule.explains);
  return out;
}

std::string RuleListText(const Limits& limits, const Style& style) {
  Table table(style.Say(Say("label.rules")),
              {{"", Align::kLeft, Fit::kKeep},
               {style.Say(Say("label.finds")), Align::kLeft, Fit::kShorten}});
  for (const Rule& rule : AllRules()) {
    table.AddRow({std::string(rule.id), style.Say(RuleText(rule.id, "symptom", limits))});
  }
  return table.Render(style) + "\n" + style.Say(Say("label.tells-more")) + "\n";
}

std::string ThresholdsText(const Limits& limits, const Style& style) {
  Table table(style.Say(Say("label.thresholds")),
              {{"", Align::kLeft, Fit::kKeep},
               {style.Say(Say("label.value")), Align::kRight, Fit::kKeep},
               {style.Say(Say("label.unit")), Align::kLeft, Fit::kKeep},
               {style.Say(Say("label.whose")), Align::kLeft, Fit::kShorten}});
  for (const LimitRow& row : LimitTable()) {
    table.AddRow({std::string(row.name), fmt::format("{}", limits[row.limit]),
                  std::string(row.unit), std::string(row.source)});
  }
  return table.Render(style) + "\n" + Wrapped(style, "", 0, 0, style.Say(Say("label.whose-is")));
}

}  // namespace stepscope
