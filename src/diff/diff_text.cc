#include <fmt/format.h>

#include <algorithm>

#include "diff/compare_nodes.h"
#include "diff/diff_output.h"
#include "diff/diff_words.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

Color ColorOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return Color::kRed;
    case Outcome::kFaster:
      return Color::kGreen;
    case Outcome::kSame:
      return Color::kDim;
    case Outcome::kCannotTell:
    case Outcome::kNotComparable:
      return Color::kYellow;
  }
  return Color::kPlain;
}

class TextWriter {
 public:
  TextWriter(const Diff& diff, const Gate& gate, const TextOptions& options)
      : diff_(diff), gate_(gate), options_(options), style_(options.style), say_(options.style) {}

  std::string Write() {
    Line(say_("diff.step"), style_.Say(diff_.verdict.sentence));
    WriteMetrics();
    WriteWhere();
    WriteNodes();
    WriteFindings();
    WriteNotes();
    WriteGate();
    return std::move(out_);
  }

 private:
  static constexpr size_t kIndent = 10;

  // A label and a text, wrapped under itself.
  void Line(const std::string& label, const std::string& text) {
    std::string line = fmt::format("{:<{}}", label, kIndent);
    size_t used = kIndent;
    bool first = true;
    std::string_view rest = text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!first && used + 1 + word.size() > style_.width) {
        line += "\n" + std::string(kIndent, ' ');
        used = kIndent;
        first = true;
      }
      if (!first) line += ' ';
      line += word;
      used += word.size() + (first ? 0 : 1);
      first = false;
    }
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find('\n', at), line.size());
      std::string shown = style_.Clean(std::string_view(line).substr(at, end - at));
      while (shown.ends_with(' ')) shown.pop_back();
      out_ += shown + "\n";
      at = end + 1;
    }
  }

  std::string IntervalOf(const Comparison& compared, std::string_view unit) const {
    if (!compared.lo) return {};
    return ChangeIn(unit, *compared.lo) + " … " + ChangeIn(unit, *compared.hi);
  }

  void WriteMetrics() {
    if (diff_.metrics.empty()) return;
    Table table(say_("diff.metric"), {{"", Align::kLeft, Fit::kKeep},
                                      {say_("diff.base"), Align::kRight, Fit::kKeep},
                                      {say_("diff.new"), Align::kRight, Fit::kKeep},
                                      {say_("diff.change"), Align::kRight, Fit::kKeep},
                                      {"%", Align::kRight, Fit::kKeep},
                                      {say_("diff.interval"), Align::kRight, Fit::kDrop},
                                      {"p", Align::kRight, Fit::kDrop},
                                      {say_("diff.result"), Align::kLeft, Fit::kKeep}});
    for (const Metric& metric : diff_.metrics) {
      const bool detail =
          metric.id.starts_with("idle.") || metric.compared.result == Outcome::kSame;
      const bool always = metric.id == "step_time" || metric.id == "device_work" ||
                          metric.id == "peak_memory" || metric.id == "launches";
      if (detail && !always) continue;
      const Comparison& compared = metric.compared;
      std::string name = metric.id;
      std::replace(name.begin(), name.end(), '_', ' ');
      if (!metric.device.empty()) name += " " + metric.device;
      const Outcome result =
          metric.id == "step_time" ? diff_.verdict.result : metric.compared.result;
      table.AddRow({name, ValueIn(metric.unit, compared.base.median),
                    ValueIn(metric.unit, compared.now.median),
                    ChangeIn(metric.unit, compared.delta), SignedPercent(compared),
                    IntervalOf(compared, metric.unit),
                    compared.p ? fmt::format("{:.2g}", *compared.p) : std::string(),
                    Cell(style_.Say(metric.id == "step_time" ? InWords(result) : InWords(metric)),
                         ColorOf(result))});
    }
    out_ += "\n" + table.Render(style_);
    out_ += fmt::format(
        "  {}\n", style_.Clean(say_("diff.runs-and-steps", diff_.base.size(), diff_.now.size(),
                                    StepsOf(diff_.base), StepsOf(diff_.now))));
  }

  void WriteWhere() {
    if (!diff_.partition) return;
    const Partition& parts = *diff_.partition;
    std::string causes;
    for (const auto& [cause, delta] : parts.idle_causes) {
      if (!causes.empty()) causes += ", ";
      causes += style_.Say(CauseInWords(cause)) + " " + SignedDuration(delta);
    }
    std::string text = say_("diff.compute") + " " + SignedDuration(parts.compute);
    const auto add = [&](const std::string& name, int64_t delta) {
      if (delta != 0) text += "   " + name + " " + SignedDuration(delta);
    };
    add(say_("diff.communication"), parts.exposed_communication);
    add(say_("diff.copy"), parts.exposed_copy);
    add(say_("diff.memset"), parts.exposed_memset);
    add(say_("diff.idle"), parts.idle);
    if (!causes.empty()) text += " (" + causes + ")";
    add(say_("diff.residue"), parts.residue);
    text += " = " + SignedDuration(parts.step) + "   " + parts.device;
    out_ += "\n";
    Line(say_("diff.where"), text);
  }

  void WriteNodes() {
    WriteNodesOf(true, say_("diff.nodes-of-program"));
    WriteNodesOf(false, say_("diff.nodes-of-host"));
    if (diff_.rest_nodes > 0) {
      out_ += fmt::format("  {}\n", style_.Clean(say_("diff.rest", diff_.rest_nodes,
                                                      SignedDuration(diff_.rest_delta))));
    }
  }

  void WriteNodesOf(bool program, const std::string& heading) {
    Table table(heading, {{"", Align::kLeft, Fit::kShorten},
                          {say_("diff.calls"), Align::kRight, Fit::kDrop},
                          {say_("diff.base"), Align::kRight, Fit::kKeep},
                          {say_("diff.new"), Align::kRight, Fit::kKeep},
                          {say_("diff.change"), Align::kRight, Fit::kKeep},
                          {say_("diff.interval"), Align::kRight, Fit::kDrop},
                          {say_("diff.result"), Align::kLeft, Fit::kKeep},
                          {"", Align::kLeft, Fit::kDrop}});
    size_t shown = 0, left = 0;
    for (const Node& node : diff_.shown()) {
      if (node.changes_program != program) continue;
      const size_t most = program ? options_.top : std::max<size_t>(options_.top / 2, 1);
      if (shown == most) {
        ++left;
        continue;
      }
      ++shown;
      const Comparison& compared = node.compared;
      const bool same_calls = node.base.calls == node.now.calls;
      const std::string calls = same_calls
                                    ? std::to_string(node.now.calls)
                                    : fmt::format("{} → {}", node.base.calls, node.now.calls);
      table.AddRow({Cell::WithShorter(TitleOf(node.key), node.key.op), calls,
                    ValueIn("ns", compared.base.median), ValueIn("ns", compared.now.median),
                    SignedDuration(compared.delta), IntervalOf(compared, "ns"),
                    Cell(style_.Say(ResultOf(node)), ColorOf(compared.result)),
                    KernelsChanged(node)});
    }
    if (table.empty()) return;
    out_ += "\n" + table.Render(style_);
    if (left > 0) out_ += fmt::format("  {}\n", style_.Clean(say_("diff.more-nodes", left)));
  }

  void WriteFindings() {
    std::string label = say_("diff.findings");
    const Metric* const step = diff_.Find("step_time");
    bool first = true;
    for (const FindingChange& finding : diff_.findings) {
      std::string text;
      if (finding.is_new()) {
        text = say_("diff.finding-new", finding.rule);
      } else if (finding.may_be_noise()) {
        text = finding.now ? say_("diff.finding-only-new", finding.rule)
                           : say_("diff.finding-only-base", finding.rule);
      } else if (finding.is_gone()) {
        text = say_("diff.finding-gone", finding.rule, DurationNs{finding.base->saving_hi},
                    SignedDuration(step == nullptr ? 0 : step->compared.delta));
      }
      if (text.empty()) continue;
      if (first) out_ += "\n";
      first = false;
      Line(label, text);
      label.clear();
    }
  }

  void WriteNotes() {
    std::string label = say_("diff.note");
    const auto add = [&](const std::string& text) {
      if (!label.empty()) out_ += "\n";
      Line(label, text);
      label.clear();
    };
    for (const Message& note : diff_.notes) add(style_.Say(note));
    for (const EnvironmentChange& change : diff_.environment) {
      if (change.severity == Severity::kBreaks) {
        add(say_("diff.environment-breaks", change.what, change.base, change.now));
      } else {
        add(say_("diff.environment", change.what, change.base, change.now));
      }
    }
  }

  void WriteGate() {
    if (gate_.state == Gate::State::kFailed) {
      out_ +=
          "\n" +
          style_.Clean(say_("diff.gate-failed", fmt::format("{}", fmt::join(gate_.why, ", ")))) +
          "\n";
    } else if (gate_.state == Gate::State::kPassed) {
      out_ += "\n" + style_.Clean(say_("diff.gate-passed")) + "\n";
    } else if (gate_.asked) {
      out_ += "\n" + style_.Clean(say_("diff.gate-off")) + "\n";
    }
  }

  const Diff& diff_;
  const Gate& gate_;
  const TextOptions& options_;
  const Style& style_;
  const SayIn<kDiffTexts> say_;
  std::string out_;
};

}  // namespace

std::string DiffText(const Diff& diff, const Gate& gate, const TextOptions& options) {
  return TextWriter(diff, gate, options).Write();
}

}  // namespace stepscope::diff
