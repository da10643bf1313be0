#include <fmt/format.h>

#include <algorithm>

#include "diff/compare_nodes.h"
#include "diff/diff_output.h"
#include "diff/diff_words.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;
constexpr size_t kMostCharacters = 58'000;  // comments are cut at 65,536

std::string_view SignOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return "🔴";
    case Outcome::kFaster:
      return "🟢";
    case Outcome::kSame:
      return "⚪";
    case Outcome::kCannotTell:
    case Outcome::kNotComparable:
      return "🟡";
  }
  return "";
}

// Text from files inside a table: nothing in it is markup.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else {
      constexpr std::string_view kMarks = "\\`*_{}[]|>#@~";
      if (kMarks.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

class MarkdownWriter {
 public:
  MarkdownWriter(const Diff& diff, const Gate& gate, Language language)
      : diff_(diff), gate_(gate), language_(language) {}

  std::string Write(const std::string& key) {
    // "-->" must not end the marker early.
    std::string safe = key;
    std::erase_if(safe, [](char c) { return c == '>' || c == '<' || c == '-' || c == '\n'; });
    out_ = fmt::format("<!-- stepscope-diff:{} -->\n", safe);
    out_ += fmt::format("### {} {}\n\n", SignOf(diff_.verdict.result),
                        Escaped(Render(diff_.verdict.sentence, language_)));
    if (gate_.state == Gate::State::kFailed) {
      out_ += fmt::format(
          "**{}**\n\n",
          Escaped(Text(Say("diff.gate-failed", fmt::format("{}", fmt::join(gate_.why, ", "))))));
    }
    WriteMetrics();
    WriteNotes();
    WriteNodes();
    return std::move(out_);
  }

 private:
  std::string Text(const Message& message) const { return Render(message, language_); }

  std::string IntervalOf(const Comparison& compared, std::string_view unit) const {
    if (!compared.lo) return "";
    return ChangeIn(unit, *compared.lo) + " … " + ChangeIn(unit, *compared.hi);
  }

  void Head(const Message& first) {
    out_ +=
        fmt::format("| {} | {} | {} | Δ | 95 % | {} |\n|---|--:|--:|--:|--:|---|\n", Text(first),
                    Text(Say("diff.base")), Text(Say("diff.new")), Text(Say("diff.result")));
  }

  void WriteMetrics() {
    if (diff_.metrics.empty()) return;
    Head(Say("diff.metric"));
    for (const Metric& metric : diff_.metrics) {
      if (metric.id.starts_with("idle.")) continue;
      const Comparison& compared = metric.compared;
      const bool is_step = metric.id == "step_time";
      const Outcome result = is_step ? diff_.verdict.result : compared.result;
      const std::string name = metric.device.empty() ? metric.id : metric.id + " " + metric.device;
      out_ += fmt::format("| {} | {} | {} | {} ({}) | {} | {} {} |\n", Escaped(name),
                          ValueIn(metric.unit, compared.base.median),
                          ValueIn(metric.unit, compared.now.median),
                          ChangeIn(metric.unit, compared.delta), SignedPercent(compared),
                          IntervalOf(compared, metric.unit), SignOf(result),
                          Text(is_step ? InWords(result) : InWords(metric)));
    }
    out_ += "\n";
  }

  void WriteNotes() {
    for (const Message& note : diff_.notes) out_ += fmt::format("- {}\n", Escaped(Text(note)));
    for (const FindingChange& finding : diff_.findings) {
      if (finding.is_new()) {
        out_ += fmt::format("- {}\n", Escaped(Text(Say("diff.finding-new", finding.rule))));
      }
    }
    if (diff_.environment.empty()) return;
    out_ += fmt::format("\n<details><summary>{}</summary>\n\n", Text(Say("diff.note")));
    for (const EnvironmentChange& change : diff_.environment) {
      out_ += fmt::format(
          "- {}\n", Escaped(Text(Say("diff.environment", change.what, change.base, change.now))));
    }
    out_ += "\n</details>\n";
  }

  void WriteNodes() {
    if (diff_.shown().empty()) return;
    constexpr std::string_view kEnd = "\n</details>\n";
    out_ += fmt::format("\n<details><summary>{} ({})</summary>\n\n", Text(Say("diff.nodes")),
                        diff_.shown().size());
    Head(Say("diff.node"));
    size_t left = 0;
    for (const Node& node : diff_.shown()) {
      const Comparison& compared = node.compared;
      std::string row = fmt::format(
          "| {} | {} | {} | {} | {} | {} |\n", Escaped(TitleOf(node.key)),
          ValueIn("ns", compared.base.median), ValueIn("ns", compared.now.median),
          SignedDuration(compared.delta), IntervalOf(compared, "ns"), Text(ResultOf(node)));
      if (out_.size() + row.size() + kEnd.size() > kMostCharacters) {
        ++left;
      } else {
        out_ += row;
      }
    }
    if (left > 0) out_ += "\n" + Text(Say("diff.more-nodes", left)) + "\n";
    out_ += kEnd;
  }

  const Diff& diff_;
  const Gate& gate_;
  const Language language_;
  std::string out_;
};

}  // namespace

std::string DiffMarkdown(const Diff& diff, const Gate& gate, const std::string& key,
                         Language language) {
  return MarkdownWriter(diff, gate, language).Write(key);
}

}  // namespace stepscope::diff
