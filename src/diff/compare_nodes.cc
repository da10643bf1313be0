#include "diff/compare_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "diff/align.h"
#include "diff/judge.h"
#include "diff/side_nodes.h"
#include "diff/statistics.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

constexpr double kLeastShare = 0.005;  // of the step: smaller nodes are summed up
constexpr double kLeastMatched = 0.6;  // below it single nodes mean little
// Kernels of one run last a few per cent longer or shorter than those of the next (clocks, where
// buffers lie); more runs show how much, one does not.
constexpr double kSingleRunFloor = 0.05;
constexpr size_t kMostKernels = 8;

int64_t MedianOr0(std::vector<int64_t> values) {
  return values.empty() ? 0 : MedianOf(std::move(values));
}

// A node, and its host time apart where the node is one of device time.
struct Tested {
  Node node;
  std::optional<Comparison> host;

  bool on_both_sides() const {
    return node.state != State::kAdded && node.state != State::kRemoved;
  }
};

// Of the time of both sides together: what `line_by_line` is decided by.
double MatchedShare(const Match& match) {
  return std::accumulate(match.share.begin(), match.share.end(), 0.0);
}

class NodeComparer {
 public:
  NodeComparer(Diff& diff, By by)
      : diff_(diff),
        by_(by),
        unit_(diff.per_step_nodes || diff.unit == Unit::kCall ? diff.unit : Unit::kRun),
        features_(Common(FeaturesOf(diff.base), FeaturesOf(diff.now))),
        base_(SideOf(diff.base, by, features_)),
        now_(SideOf(diff.now, by, features_)),
        aligned_(Align(base_, now_)) {
    other_format_ =
        std::any_of(diff.environment.begin(), diff.environment.end(),
                    [](const EnvironmentChange& change) { return change.what == "format"; });
    // Where devices hardly work, the host's time is what the program consists of.
    double device = 0, host = 0;
    for (const auto* side : {&base_, &now_}) {
      for (const SideNode& node : side->nodes) {
        device += static_cast<double>(node.total_device());
        host += static_cast<double>(node.total_host());
      }
    }
    has_device_ = device > 0.01 * host;
  }

  // Shares of time by how nodes were matched.
  Match Matched() const {
    Match match;
    double base_all = 0, now_all = 0, base_alone = 0, now_alone = 0;
    std::array<double, kLevels> by_level{};
    for (const Aligned& pair : aligned_) {
      const double base = Weight(pair.base), now = Weight(pair.now);
      base_all += base;
      now_all += now;
      if (pair.base == nullptr) now_alone += now;
      if (pair.now == nullptr) base_alone += base;
      if (pair.base != nullptr && pair.now != nullptr) {
        by_level[static_cast<size_t>(pair.level)] += base + now;
      }
    }
    const double all = base_all + now_all;
    for (size_t i = 0; i < kLevels; ++i) match.share[i] = all > 0 ? by_level[i] / all : 0;
    match.unmatched_base = base_all > 0 ? base_alone / base_all : 0;
    match.unmatched_now = now_all > 0 ? now_alone / now_all : 0;
    // A side without device work has nothing in common with one that does only that.
    if (all > 0 && base_alone + now_alone >= all) match.unmatched_base = match.unmatched_now = 1;
    match.line_by_line = all <= 0 || (base_alone + now_alone) / all <= 1 - kLeastMatched;
    return match;
  }

  // Nodes worth a line, in order, and the sum of the rest.
  struct Filled {
    std::vector<Node> nodes;
    uint64_t rest_nodes = 0;
    int64_t rest_delta = 0;
  };
  Filled Fill() const {
    Filled filled;
    const Metric* const step = diff_.Find("step_time");
    const double per_step =
        step == nullptr
            ? 0
            : static_cast<double>(std::max(step->compared.base.median, step->compared.now.median));
    std::vector<Tested> tested;
    for (const Aligned& pair : aligned_) {
      Tested compared{Described(pair), {}};
      const Node& node = compared.node;
      const int64_t largest =
          std::max({node.base.device, node.now.device, node.base.host, node.now.host});
      const bool large = static_cast<double>(largest) >= kLeastShare * per_step && largest > 0;
      // What exists on one side only is worth a line whatever it costs, if steps have it at all.
      // Formats record the host under names of their own.
      // What a damaged file lost was not taken out of the program.
      if (diff_.base_damaged && node.state == State::kAdded) continue;
      if (diff_.now_damaged && node.state == State::kRemoved) continue;
      const bool host_alone = !compared.on_both_sides() && !node.on_device && other_format_;
      const bool one_sided = !compared.on_both_sides() && node.key.kind != AtomKind::kCall &&
                             (node.base.calls > 0 || node.now.calls > 0) && largest > 0;
      if ((large || one_sided) && !host_alone) {
        CompareTimes(pair, compared);
        tested.push_back(std::move(compared));
      } else {
        ++filled.rest_nodes;
        filled.rest_delta +=
            node.on_device ? node.now.device - node.base.device : node.now.host - node.base.host;
      }
    }
    Adjust(tested);
    for (Tested& one : tested) {
      Settle(one);
      filled.nodes.push_back(std::move(one.node));
    }
    Sort(filled.nodes);
    return filled;
  }

 private:
  double Weight(const SideNode* node) const {
    if (node == nullptr) return 0;
    return static_cast<double>(has_device_ ? node->total_device() : node->total_host());
  }

  Judgement Judging(bool on_device) const {
    return {.evidence = on_device ? Evidence::kDevice : Evidence::kHost,
            .single_run = diff_.single_run,
            .steps = unit_ == Unit::kStep,
            .floor = diff_.single_run && on_device ? kSingleRunFloor : 0};
  }

  NodeSide SideNumbers(const Side& side, const SideNode* node) const {
    NodeSide numbers;
    if (node == nullptr) return numbers;
    numbers.calls = MedianOr0(side.Sample(node->calls, unit_));
    numbers.device = MedianOr0(side.Sample(*node, true, unit_));
    numbers.host = MedianOr0(side.Sample(*node, false, unit_));
    numbers.events = node->events;
    return numbers;
  }

  Comparison CompareBy(const Aligned& pair, bool on_device) const {
    const auto sample = [&](const Side& side, const SideNode* node) {
      return node == nullptr ? std::vector<int64_t>() : side.Sample(*node, on_device, unit_);
    };
    return CompareSamples(sample(base_, pair.base), sample(now_, pair.now), Judging(on_device),
                          diff_.settings);
  }

  // A node with its numbers, not yet tested.
  Node Described(const Aligned& pair) const {
    Node node;
    node.key = pair.now != nullptr ? pair.now->key : pair.base->key;
    if (pair.base != nullptr) node.base_key = pair.base->key;
    node.line = pair.now != nullptr ? pair.now->line : pair.base->line;
    node.level = pair.level;
    node.state = pair.state;
    node.base = SideNumbers(base_, pair.base);
    node.now = SideNumbers(now_, pair.now);
    node.on_device = (pair.base != nullptr && pair.base->total_device() > 0) ||
                     (pair.now != nullptr && pair.now->total_device() > 0);
    return node;
  }

  // Intervals of many steps are costly, so only nodes that are shown get them.
  void CompareTimes(const Aligned& pair, Tested& tested) const {
    Node& node = tested.node;
    node.compared = CompareBy(pair, node.on_device);
    if (node.on_device) tested.host = CompareBy(pair, false);
    if (by_ == By::kKernel) return;
    node.kernels =
        AlignKernels(pair.base, pair.now, base_.first_step.back(), now_.first_step.back());
    if (node.kernels.size() > kMostKernels) node.kernels.resize(kMostKernels);
  }

  // Benjamini-Hochberg over all times of nodes that are on both sides and could prove a change.
  void Adjust(std::vector<Tested>& tested) const {
    std::vector<Comparison*> family;
    std::vector<bool> on_device;
    for (Tested& one : tested) {
      if (!one.on_both_sides()) {
        one.node.compared.p.reset();
        continue;
      }
      const auto add = [&](Comparison& compared, bool of_device) {
        if (!of_device && diff_.single_run) return;
        family.push_back(&compared);
        on_device.push_back(of_device);
      };
      add(one.node.compared, one.node.on_device);
      if (one.host) add(*one.host, false);
    }
    std::vector<double> p;
    for (const Comparison* compared : family) p.push_back(compared->p.value_or(1));
    const std::vector<double> q = FalseDiscoveryRates(p);
    for (size_t i = 0; i < family.size(); ++i) {
      family[i]->q = q[i];
      Judge(Judging(on_device[i]), diff_.settings, *family[i]);
    }
  }

  // Whether the program changed here, and what a node that exists on one side only means.
  void Settle(Tested& tested) const {
    Node& node = tested.node;
    Comparison& compared = node.compared;
    if (!tested.on_both_sides()) {
      const bool proves = node.on_device || !diff_.single_run;
      compared.result = !proves              ? Outcome::kCannotTell
                        : compared.delta > 0 ? Outcome::kSlower
                        : compared.delta < 0 ? Outcome::kFaster
                                             : Outcome::kSame;
      if (proves) compared.runs_needed.reset();
      node.changes_program = true;
      node.device_result = node.on_device ? compared.result : Outcome::kSame;
      return;
    }
    node.device_result = node.on_device ? compared.result : Outcome::kSame;
    const bool damaged = diff_.base_damaged || diff_.now_damaged;
    const bool other_work =
        !damaged && node.on_device &&
        (compared.result == Outcome::kSlower || compared.result == Outcome::kFaster);
    const bool other_calls = !damaged && node.on_device && node.base.calls != node.now.calls;
    node.changes_program = other_work || other_calls || node.state == State::kMoved;
    if (!node.on_device || node.changes_program) return;
    if (node.base.host == 0 && node.now.host == 0) return;
    const bool same = compared.result == Outcome::kSame;
    if (!same && std::abs(compared.delta) >= std::abs(tested.host->delta)) return;
    // The device did the same, as far as can be told: what may differ is the host.
    compared = *tested.host;
    node.on_device = false;
  }

  static void Sort(std::vector<Node>& nodes) {
    std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
      if (a.changes_program != b.changes_program) return a.changes_program;
      const int64_t left = std::abs(a.compared.delta), right = std::abs(b.compared.delta);
      if (left != right) return left > right;
      const auto key = [](const Node& node) {
        const NodeKey& k = node.key;
        return std::tie(k.module, k.op, k.shapes, k.types, k.pass, k.line, k.kernel, k.kind);
      };
      return key(a) < key(b);
    });
  }

  Diff& diff_;
  By by_;
  Unit unit_;
  Features features_;
  Side base_, now_;
  std::vector<Aligned> aligned_;
  bool has_device_ = false;
  bool other_format_ = false;
};

bool AnyChange(const std::vector<Node>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node& node) { return node.changes_program; });
}

// Fills the nodes; false where those asked for do not correspond, whatever is shown in their place.
bool FillNodes(Diff& diff) {
  const auto take = [&](const NodeComparer& nodes) {
    NodeComparer::Filled filled = nodes.Fill();
    diff.nodes = std::move(filled.nodes);
    diff.rest_nodes = filled.rest_nodes;
    diff.rest_delta = filled.rest_delta;
  };
  const NodeComparer nodes(diff, diff.settings.by);
  diff.match = nodes.Matched();
  const bool correspond = diff.match.line_by_line;
  if (correspond || diff.settings.by == By::kCategory) {
    take(nodes);
    return correspond;
  }
  if (diff.settings.by == By::kOp) {
    // A captured graph or another format may have the same kernels under no op at all.
    const NodeComparer kernels(diff, By::kKernel);
    const Match by_kernel = kernels.Matched();
    if (by_kernel.line_by_line) {
      diff.match = by_kernel;
      diff.notes += Say("diff.by-kernel", MatchedShare(by_kernel));
      take(kernels);
      return false;
    }
    if (MatchedShare(by_kernel) > MatchedShare(diff.match)) diff.match = by_kernel;
  }
  diff.match.line_by_line = false;
  if (NothingInCommon(diff.match)) return false;
  diff.notes += Say("diff.too-different", MatchedShare(diff.match));
  take(nodes);
  diff.categories = NodeComparer(diff, By::kCategory).Fill().nodes;
  return false;
}

}  // namespace

void CompareNodes(Diff& diff) {
  const bool correspond = FillNodes(diff);
  if (diff.settings.by == By::kOp) {
    diff.ops_changed = !correspond || AnyChange(diff.nodes);
    return;
  }
  // What the program is does not depend on the nodes that are shown.
  const NodeComparer ops(diff, By::kOp);
  diff.ops_changed = !ops.Matched().line_by_line || AnyChange(ops.Fill().nodes);
}

bool NothingInCommon(const Match& match) {
  constexpr double kAll = 0.99;
  return match.unmatched_base > kAll && match.unmatched_now > kAll;
}

std::string TitleOf(const NodeKey& key) {
  std::string title = !key.op.empty() ? key.op : !key.kernel.empty() ? key.kernel : key.line;
  if (title.empty()) title = key.module;
  // "[[],[]]" says no more than that there are two inputs.
  if (key.shapes.find_first_of("0123456789") != std::string::npos) title += " " + key.shapes;
  if (key.pass == "backward") title += " (backward)";
  if (!key.module.empty() && title != key.module) title += " in " + key.module;
  return title;
}

}  // namespace stepscope::diff
