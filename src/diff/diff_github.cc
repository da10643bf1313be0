#include <fmt/format.h>

#include "diff/compare_nodes.h"
#include "diff/diff_output.h"
#include "diff/diff_words.h"
#include "diff/source_line.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;
constexpr size_t kMostAnnotations = 10;  // as many of a kind as GitHub shows for a step

// Data of a workflow command; properties escape ':' and ',' too.
std::string Escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view CommandFor(const Diff& diff, const Gate& gate) {
  if (gate.state == Gate::State::kFailed) return "error";
  return diff.verdict.result == Outcome::kSlower ? "warning" : "notice";
}

}  // namespace

std::string DiffGithub(const Diff& diff, const Gate& gate, Language language) {
  std::string out = fmt::format("::{} title=stepscope diff::{}\n", CommandFor(diff, gate),
                                Escaped(Render(diff.verdict.sentence, language), false));
  for (const std::string& why : gate.why) {
    out += fmt::format("::error title=stepscope diff::{}\n",
                       Escaped(Render(Say("diff.gate-failed", why), language), false));
  }
  size_t shown = 0;
  for (const Node& node : diff.shown()) {
    if (node.compared.result != Outcome::kSlower || shown == kMostAnnotations) continue;
    ++shown;
    const Comparison& compared = node.compared;
    std::string where;
    if (const auto line = SourceLineOf(node.line)) {
      where = fmt::format("file={},line={},", Escaped(line->file, true), line->line);
    }
    out += fmt::format("::warning {}title={}::{} → {} ({})\n", where,
                       Escaped(TitleOf(node.key), true), ValueIn("ns", compared.base.median),
                       ValueIn("ns", compared.now.median), SignedDuration(compared.delta));
  }
  return out;
}

}  // namespace stepscope::diff
