#include "diff/diff_words.h"

#include <fmt/format.h>

#include <cstdlib>

#include "present/kernel_name.h"
#include "present/units.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

}  // namespace

Message InWords(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSlower:
      return Say("diff.word-slower");
    case Outcome::kFaster:
      return Say("diff.word-faster");
    case Outcome::kSame:
      return Say("diff.word-same");
    case Outcome::kCannotTell:
      return Say("diff.word-cannot-tell");
    case Outcome::kNotComparable:
      return Say("diff.word-not-comparable");
  }
  return {};
}

Message InWords(const Metric& metric) {
  const bool is_time = metric.unit == "ns";
  if (!is_time && metric.compared.result == Outcome::kSlower) return Say("diff.word-more");
  if (!is_time && metric.compared.result == Outcome::kFaster) return Say("diff.word-less");
  return InWords(metric.compared.result);
}

Message InWords(State state) {
  switch (state) {
    case State::kMatched:
      return {};
    case State::kAdded:
      return Say("diff.word-added");
    case State::kRemoved:
      return Say("diff.word-removed");
    case State::kMoved:
      return Say("diff.word-moved");
    case State::kRenamed:
      return Say("diff.word-renamed");
  }
  return {};
}

std::string SignedDuration(int64_t ns) { return ChangeIn("ns", ns); }

std::string ValueIn(std::string_view unit, int64_t value) {
  if (unit == "bytes") return FormatBytes(value);
  if (unit == "count") return FormatCount(value);
  return FormatDuration(DurationNs{value});
}

std::string ChangeIn(std::string_view unit, int64_t change) {
  const std::string_view sign = change > 0 ? "+" : change < 0 ? "-" : "";
  return fmt::format("{}{}", sign, ValueIn(unit, std::abs(change)));
}

Message ResultOf(const Node& node) {
  const bool is_news = node.state != State::kMatched && node.state != State::kRenamed;
  return is_news ? InWords(node.state) : InWords(node.compared.result);
}

std::string KernelsChanged(const Node& node) {
  std::string text;
  for (const KernelPair& pair : node.kernels) {
    if (pair.by == "exact" || pair.by == "base") continue;
    if (!text.empty()) text += ", ";
    const auto shown = [](const std::string& name) {
      return name.empty() ? std::string("–") : ShortKernelName(name);
    };
    text += shown(pair.base) + " → " + shown(pair.now);
    if (pair.base_calls != pair.now_calls && pair.base_calls > 0 && pair.now_calls > 0) {
      text += fmt::format(" ({} → {})", pair.base_calls, pair.now_calls);
    }
  }
  return text;
}

size_t StepsOf(const std::vector<Run>& runs) {
  size_t steps = 0;
  for (const Run& run : runs) steps += run.steps.size();
  return steps;
}

}  // namespace stepscope::diff
