#include <fmt/format.h>

#include "diff/compare_nodes.h"
#include "diff/diff_output.h"
#include "diff/diff_words.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

// Attribute text: markup escaped, what XML 1.0 cannot hold replaced.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

struct Case {
  std::string_view classname;
  std::string name;
  std::string_view unit;
  const Comparison* compared;
  Outcome result;
};

std::string_view ClassOf(const Metric& metric) {
  if (metric.id == "step_time") return "step";
  if (metric.id == "peak_memory") return "memory";
  return metric.device.empty() ? "step" : "device";
}

std::string CaseText(const Case& one, Language language) {
  const Comparison& compared = *one.compared;
  const double seconds = one.unit == "ns" ? static_cast<double>(compared.now.median) / 1e9 : 0;
  std::string out = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"",
                                one.classname, Escaped(one.name), seconds);
  const std::string change =
      fmt::format("{} → {} ({})", ValueIn(one.unit, compared.base.median),
                  ValueIn(one.unit, compared.now.median), SignedPercent(compared));
  if (one.result == Outcome::kSlower) {
    out += fmt::format(">\n    <failure type=\"slower\" message=\"{}\"/>\n  </testcase>\n",
                       Escaped(change));
  } else if (one.result == Outcome::kCannotTell || one.result == Outcome::kNotComparable) {
    const std::string needs =
        Render(Say("diff.need-runs", compared.runs_needed.value_or(4)), language);
    out += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", Escaped(needs));
  } else {
    out += "/>\n";
  }
  return out;
}

}  // namespace

std::string DiffJunit(const Diff& diff, Language language) {
  std::vector<Case> cases;
  for (const Metric& metric : diff.metrics) {
    const bool is_step = metric.id == "step_time";
    cases.push_back(
        {ClassOf(metric), metric.device.empty() ? metric.id : metric.id + " " + metric.device,
         metric.unit, &metric.compared, is_step ? diff.verdict.result : metric.compared.result});
  }
  for (const Node& node : diff.shown()) {
    cases.push_back({"node", TitleOf(node.key), "ns", &node.compared, node.compared.result});
  }
  size_t failures = 0, skipped = 0;
  std::string body;
  for (const Case& one : cases) {
    failures += one.result == Outcome::kSlower;
    skipped += one.result == Outcome::kCannotTell || one.result == Outcome::kNotComparable;
    body += CaseText(one, language);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"stepscope\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n"
      "{}</testsuite>\n",
      cases.size(), failures, skipped, body);
}

}  // namespace stepscope::diff
