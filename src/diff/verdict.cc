#include "diff/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diff/compare_nodes.h"
#include "diff/environment.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

bool IsChange(Outcome outcome) {
  return outcome == Outcome::kSlower || outcome == Outcome::kFaster;
}

// The metric of the device that the partition is about.
const Metric* OfMainDevice(const Diff& diff, std::string_view id) {
  for (const Metric& metric : diff.metrics) {
    if (metric.id == id && diff.partition && metric.device == diff.partition->device)
      return &metric;
  }
  return nullptr;
}

// What the device's busy time adds to the step, and whether that alone is a change.
struct DeviceEvidence {
  bool known = false;
  bool same = false;                      // the device did the same work
  Outcome result = Outcome::kCannotTell;  // of the step, by the device alone
};

DeviceEvidence EvidenceOf(const Diff& diff, const Comparison& step) {
  DeviceEvidence evidence;
  const Metric* const work = OfMainDevice(diff, "device_work");
  if (work == nullptr || diff.base.front().host_only || diff.now.front().host_only) return evidence;
  evidence.known = true;
  const bool no_change = std::none_of(diff.nodes.begin(), diff.nodes.end(), [](const Node& node) {
    return node.changes_program && node.on_device;
  });
  evidence.same = work->compared.result == Outcome::kSame && no_change;
  const auto smaller = static_cast<double>(std::min(step.base.median, step.now.median));
  const bool matters =
      std::abs(static_cast<double>(work->compared.delta)) >= diff.settings.threshold * smaller;
  if (IsChange(work->compared.result) && matters) evidence.result = work->compared.result;
  return evidence;
}

// The host node that holds most of the step's difference, if one does.
const Node* MainHostNode(const Diff& diff, int64_t delta) {
  const Node* largest = nullptr;
  for (const Node& node : diff.nodes) {
    if (node.on_device) continue;
    const int64_t own = node.compared.delta;
    if ((own > 0) != (delta > 0)) continue;
    if (largest == nullptr || std::abs(own) > std::abs(largest->compared.delta)) largest = &node;
  }
  if (largest == nullptr || 4 * std::abs(largest->compared.delta) < std::abs(delta)) return nullptr;
  return largest;
}

void SayHowMany(const Comparison& step, const Diff& diff, Messages& sentence) {
  const int64_t runs = step.runs_needed.value_or(4);
  if (diff.single_run) {
    sentence += Say("diff.one-run", runs);
  } else {
    sentence += Say("diff.more-runs", runs);
  }
}

void SayCannotTell(const Diff& diff, const Comparison& step, const DeviceEvidence& evidence,
                   Messages& sentence) {
  const DurationNs base{step.base.median}, now{step.now.median};
  const std::string change = SignedPercent(step);
  const bool slower = step.delta > 0;
  if (!diff.single_run || !evidence.same) {
    sentence += Say("diff.cannot-tell", base, now, change);
  } else if (const Node* node = MainHostNode(diff, step.delta)) {
    const DurationNs own{std::abs(node->compared.delta)};
    sentence += slower ? Say("diff.host-slower-in", TitleOf(node->key), own, base, now, change)
                       : Say("diff.host-faster-in", TitleOf(node->key), own, base, now, change);
  } else {
    sentence += slower ? Say("diff.host-slower", base, now, change)
                       : Say("diff.host-faster", base, now, change);
  }
  SayHowMany(step, diff, sentence);
}

// Of one run a side the step's own test proves nothing: the device's work has to agree.
Outcome ResultOf(const Diff& diff, const Comparison& step, const DeviceEvidence& evidence) {
  if (!diff.single_run) return step.result;
  if (step.result == Outcome::kSame) return Outcome::kSame;
  const bool shifted = step.lo && (*step.lo > 0 || *step.hi < 0);
  const Outcome direction = step.delta > 0 ? Outcome::kSlower : Outcome::kFaster;
  return shifted && evidence.result == direction ? direction : Outcome::kCannotTell;
}

// Times of another framework stand for other things: they are shown, and none is called better.
void JudgeNothing(Diff& diff, Outcome result, bool only_times) {
  const auto clear = [&](Comparison& compared) {
    compared.p = compared.q = std::nullopt;
    compared.lo = compared.hi = std::nullopt;
    compared.runs_needed = std::nullopt;
    compared.result = result;
  };
  for (Metric& metric : diff.metrics) {
    if (!only_times || metric.unit == "ns") clear(metric.compared);
  }
  for (std::vector<Node>* nodes : {&diff.nodes, &diff.categories}) {
    for (Node& node : *nodes) clear(node.compared);
  }
}

void JudgeStep(Diff& diff) {
  const Metric* const metric = diff.Find("step_time");
  Verdict& verdict = diff.verdict;
  if (metric == nullptr) {
    verdict.result = Outcome::kNotComparable;
    verdict.sentence += Say("diff.no-steps");
    return;
  }
  const Comparison& step = metric->compared;
  const DeviceEvidence evidence = EvidenceOf(diff, step);
  verdict.result = ResultOf(diff, step, evidence);
  const DurationNs base{step.base.median}, now{step.now.median};
  const std::string change = SignedPercent(step);
  switch (verdict.result) {
    case Outcome::kSlower:
      verdict.sentence += Say("diff.slower", base, now, change);
      break;
    case Outcome::kFaster:
      verdict.sentence += Say("diff.faster", base, now, change);
      break;
    case Outcome::kSame:
      verdict.sentence += Say("diff.same", base, now, change);
      break;
    case Outcome::kCannotTell:
    case Outcome::kNotComparable:
      SayCannotTell(diff, step, evidence, verdict.sentence);
      break;
  }
  if (IsChange(verdict.result)) {
    verdict.why.emplace_back("step_time");
    if (diff.single_run) verdict.why.emplace_back("device_work");
  }
}

// Differences between two programs that share nothing mean nothing.
void SayNothingInCommon(Diff& diff) {
  diff.verdict.result = Outcome::kNotComparable;
  diff.verdict.sentence += Say("diff.nothing-in-common");
  diff.metrics.clear();
  diff.partition.reset();
  diff.nodes.clear();
  diff.categories.clear();
  diff.findings.clear();
  diff.rest_nodes = 0;
  diff.rest_delta = 0;
}

// What a file lost cannot be told from what the program does not do.
void JudgeDamaged(Diff& diff) {
  Verdict& verdict = diff.verdict;
  verdict.result = Outcome::kCannotTell;
  verdict.sentence += !diff.now_damaged    ? Say("diff.damaged-base")
                      : !diff.base_damaged ? Say("diff.damaged-new")
                                           : Say("diff.damaged-both");
  JudgeNothing(diff, Outcome::kCannotTell, false);
  for (FindingChange& finding : diff.findings) finding.beyond_noise = false;
}

}  // namespace

void GiveVerdict(Diff& diff) {
  Verdict& verdict = diff.verdict;
  const auto differs = [&](std::string_view what) -> const EnvironmentChange* {
    for (const EnvironmentChange& change : diff.environment) {
      if (change.what == what && change.severity == Severity::kBreaks) return &change;
    }
    return nullptr;
  };
  if (!IsComparable(diff)) {
    verdict.result = Outcome::kNotComparable;
    const EnvironmentChange* const size = differs("world_size");
    const EnvironmentChange* const ranks = size != nullptr ? size : differs("ranks");
    verdict.sentence += Say("diff.other-ranks", ranks->base, ranks->now);
    return;
  }
  if (const EnvironmentChange* framework = differs("framework");
      framework != nullptr && !diff.settings.force) {
    verdict.result = Outcome::kNotComparable;
    verdict.sentence += Say("diff.other-framework", framework->base, framework->now);
    NothingInCommon(diff.match) ? SayNothingInCommon(diff)
                                : JudgeNothing(diff, Outcome::kNotComparable, true);
    return;
  }
  if (diff.base_damaged || diff.now_damaged) return JudgeDamaged(diff);
  if (NothingInCommon(diff.match)) return SayNothingInCommon(diff);
  JudgeStep(diff);
  if (const EnvironmentChange* devices = differs("devices")) {
    diff.notes += Say("diff.other-device", devices->base, devices->now);
  }
}

std::optional<GateOn> GateNamed(std::string_view name) {
  if (name == "slower") return GateOn::kSlower;
  if (name == "slower-or-cannot-tell") return GateOn::kSlowerOrCannotTell;
  if (name == "memory") return GateOn::kMemory;
  if (name == "new-finding") return GateOn::kNewFinding;
  return std::nullopt;
}

std::string_view NameOf(Gate::State state) {
  switch (state) {
    case Gate::State::kOff:
      return "off";
    case Gate::State::kPassed:
      return "passed";
    case Gate::State::kFailed:
      return "failed";
  }
  return "";
}

Gate CheckGate(const Diff& diff, const std::vector<GateOn>& fail_on) {
  Gate gate;
  gate.asked = !fail_on.empty();
  const auto check = [&](bool fails, std::string why) {
    if (gate.state == Gate::State::kOff) gate.state = Gate::State::kPassed;
    if (!fails) return;
    gate.state = Gate::State::kFailed;
    gate.why.push_back(std::move(why));
  };
  const Outcome result = diff.verdict.result;
  const bool time_counts = !BreaksTime(diff) && result != Outcome::kNotComparable;
  for (const GateOn on : fail_on) {
    switch (on) {
      case GateOn::kSlower:
        if (time_counts) check(result == Outcome::kSlower, "step_time");
        break;
      case GateOn::kSlowerOrCannotTell:
        if (time_counts) {
          check(result == Outcome::kSlower || result == Outcome::kCannotTell, "step_time");
        }
        break;
      case GateOn::kMemory:
        for (const Metric& metric : diff.metrics) {
          if (metric.id != "peak_memory") continue;
          check(metric.compared.result == Outcome::kSlower, "peak_memory " + metric.device);
        }
        break;
      case GateOn::kNewFinding:
        check(false, {});
        for (const FindingChange& finding : diff.findings) {
          if (finding.is_new()) check(true, finding.rule);
        }
        break;
    }
  }
  return gate;
}

std::string SignedPercent(const Comparison& compared) {
  if (!compared.rel) return "–";
  return fmt::format("{:+.1f} %", 100 * *compared.rel);
}

}  // namespace stepscope::diff
