#include <algorithm>
#include <array>
#include <vector>

#include "advise/rule_tools.h"
#include "words/lint.h"

// Cheap pattern tests whose gains are small or depend on the version. Their severity is never above
// low.
namespace stepscope {
namespace {

constexpr SayFrom<kLintTexts> Say;

Fires Lint(Message title, Messages sentence) {
  Fires fires;
  fires.title = std::move(title);
  fires.sentence = std::move(sentence);
  fires.at_most = FindingSeverity::kLow;
  fires.confidence = Confidence::kMedium;
  return fires;
}

// The sibling before a span on its lane, or kNoRow.
uint32_t SiblingBefore(const Evidence& e, uint32_t slice) {
  const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(slice))].slices;
  for (uint32_t s = slice; s-- > rows.first;) {
    if (e.trace.slices.depth[s] < e.trace.slices.depth[slice]) return kNoRow;
    if (e.trace.slices.depth[s] == e.trace.slices.depth[slice]) return s;
  }
  return kNoRow;
}

RuleVerdict TensorCreatedOnHost(const Evidence& e) {
  std::vector<StepSpan> found;
  for (const StepSpan& copy : e.With(e.copies(), NameTag::kHostToDevice)) {
    SliceId op = e.linked.links.op_of[e.trace.slices.args[copy.slice]];
    while (op != kNoSlice && e.trace.slices.parent[Index(op)] != kNoSlice &&
           e.trace.slices.kind[Index(e.trace.slices.parent[Index(op)])] == Kind::kOp) {
      op = e.trace.slices.parent[Index(op)];
    }
    if (op == kNoSlice) continue;
    const uint32_t before = SiblingBefore(e, Index(op));
    if (before != kNoRow && Has(e.Tags(e.trace.slices.name[before]), NameTag::kHostFill))
      found.push_back({Index(op), copy.window});
  }
  if (found.empty()) return Quiet{};
  Fires fires = Lint(Say("tensor-created-on-host.title",
                         CountedInStep(e, static_cast<double>(found.size()) / e.step_count())),
                     Say("tensor-created-on-host.because"));
  fires.saving_hi = ExposedHost(e, found);
  fires.changes = ChangesOf(found, ChangeType::kRemove);
  fires.evidence = e.Longest(found);
  return fires;
}

RuleVerdict PythonLoopOfOps(const Evidence& e) {
  const auto least = static_cast<uint32_t>(e.limits[Limit::kRepeatedOps]);
  const std::vector<StepSpan> members = Outermost(e, e.HostSpans(NameTag::kSelect));
  std::vector<uint32_t> in_window(e.step_count(), 0);
  for (const StepSpan& span : members) ++in_window[span.window];
  if (*std::max_element(in_window.begin(), in_window.end()) < least * 2) return Quiet{};
  Fires fires = Lint(Say("python-loop-of-ops.title",
                         CountedInStep(e, static_cast<double>(members.size()) / e.step_count())),
                     Say("python-loop-of-ops.because"));
  fires.saving_hi = ExposedHost(e, members);
  fires.changes = ChangesOf(members, ChangeType::kRemove);
  fires.evidence = e.Longest(members);
  return fires;
}

RuleVerdict ConvAutotune(const Evidence& e) {
  const std::vector<StepSpan> tuning = Outermost(e, e.HostSpans(NameTag::kAutotune));
  if (tuning.empty()) return Quiet{};
  Fires fires = Lint(Say("conv-autotune.title", OfEachStep(e, ExposedHost(e, tuning))),
                     Say("conv-autotune.because"));
  fires.saving_hi = ExposedHost(e, tuning);
  fires.changes = ChangesOf(tuning, ChangeType::kRemove);
  fires.evidence = e.Longest(tuning);
  return fires;
}

RuleVerdict GatherScatterBound(const Evidence& e) {
  std::vector<StepSpan> kernels;
  for (const StepSpan& span : e.kernels()) {
    const KernelCategory category = e.trace.Traits(span.slice).category;
    // Their parameters may be named after an index.
    if (category == KernelCategory::kGemm || category == KernelCategory::kConvolution) continue;
    if (category == KernelCategory::kSort || category == KernelCategory::kEmbedding ||
        Has(e.TagsOfSpan(span), NameTag::kShuffleData)) {
      kernels.push_back(span);
    }
  }
  const DurationNs time = TimeOf(e, kernels);
  if (e.Share(time) < e.limits[Limit::kShuffleShare]) return Quiet{};
  Fires fires = Lint(Say("gather-scatter-bound.title", OfEachStep(e, time)),
                     Say("gather-scatter-bound.because"));
  fires.saving_hi = {time.ns / 2};
  fires.evidence = e.Longest(kernels);
  return fires;
}

// What one op pays for being recorded, in ns: an inference of a vision transformer with and without
// it on an H200's host gave 0.7 µs.
constexpr double kLeastOfANode = 350;
constexpr double kMostOfANode = 1'000;

RuleVerdict GradModeInInference(const Evidence& e) {
  if (e.framework != Framework::kPyTorch || e.Occurs(NameTag::kAccumulateGrad)) return Quiet{};
  // Sequence numbers above zero are handed out only while a graph is recorded.
  std::vector<StepSpan> recorded;
  for (const Track& track : e.trace.tracks) {
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      const uint32_t args = e.trace.slices.args[s];
      if (e.trace.slices.kind[s] == Kind::kOp && args != kNoRow &&
          e.trace.op_args[args].sequence > 0) {
        recorded.push_back({s, 0});
      }
    }
  }
  // A few ops on leaves that want no gradient tell nothing, and training has a backward pass.
  const double per_step = static_cast<double>(recorded.size()) / e.step_count();
  if (per_step < 10 || e.Occurs(NameTag::kBackward)) return Quiet{};
  const auto cost = [&](double ns) { return DurationNs{static_cast<int64_t>(per_step * ns)}; };
  Fires fires = Lint(Say("grad-mode-in-inference.title"), Say("grad-mode-in-inference.because"));
  // It is host time, which counts where the host is the limit.
  const double idle = 1 - e.utilization();
  fires.saving_hi = cost(kMostOfANode * idle);
  fires.lo_at_least = cost(kLeastOfANode * idle);
  fires.as_recorded = true;
  fires.at_most = FindingSeverity::kMedium;
  if (!e.WorthSaying(fires.saving_hi)) fires.gate = true;
  return fires;
}

RuleVerdict ConvBiasBeforeBn(const Evidence& e) {
  std::vector<StepSpan> found;
  const std::vector<StepSpan> norms = Outermost(e, e.HostSpans(NameTag::kBatchNormFused));
  for (const StepSpan& norm : norms) {
    SliceId top{norm.slice};
    while (e.trace.slices.parent[Index(top)] != kNoSlice &&
           e.trace.slices.kind[Index(e.trace.slices.parent[Index(top)])] == Kind::kOp) {
      top = e.trace.slices.parent[Index(top)];
    }
    const uint32_t before = SiblingBefore(e, Index(top));
    if (before == kNoRow || !Has(e.Tags(e.trace.slices.name[before]), NameTag::kConvolution))
      continue;
    for (uint32_t s = before + 1; s < Index(top); ++s) {
      if (Has(e.Tags(e.trace.slices.name[s]), NameTag::kBiasAdd)) found.push_back({s, norm.window});
    }
  }
  if (found.empty()) return Quiet{};
  const DurationNs device = [&] {
    NameTotal sum;
    for (const StepSpan& span : found) sum.host += e.trace.slices.duration[span.slice];
    return e.PerStep(sum.host);
  }();
  Fires fires = Lint(Say("conv-bias-before-bn.title",
                         CountedInStep(e, static_cast<double>(found.size()) / e.step_count())),
                     Say("conv-bias-before-bn.because"));
  fires.saving_hi = device;
  fires.changes = ChangesOf(found, ChangeType::kRemove);
  fires.evidence = e.Longest(found);
  return fires;
}

RuleVerdict ZeroGradToZero(const Evidence& e) {
  std::vector<StepSpan> fills;
  for (const StepSpan& span : e.HostSpans(NameTag::kZeroFill)) {
    if (IsUnder(e, span.slice, NameTag::kZeroGrad)) fills.push_back(span);
  }
  if (fills.empty()) return Quiet{};
  Fires fires = Lint(Say("zero-grad-to-zero.title",
                         CountedInStep(e, static_cast<double>(fills.size()) / e.step_count())),
                     Say("zero-grad-to-zero.because"));
  fires.saving_hi = UnionOf(e, fills);
  fires.changes = ChangesOf(fills, ChangeType::kRemove);
  fires.evidence = e.Longest(fills);
  return fires;
}

// Where torch.compile says that it broke the graph, and why.
Messages LoggedBreaks(const CompileLog& log) {
  Messages places;
  for (const CompileLog::Cause& cause : FirstCauses(log.graph_breaks)) {
    places += cause.text.empty()
                  ? Say("graph-breaks.place", cause.place.file, cause.place.line, cause.count)
                  : Say("graph-breaks.cause", cause.place.file, cause.place.line, cause.count,
                        cause.text);
  }
  return places;
}

RuleVerdict GraphBreaks(const Evidence& e) {
  const CompileLog* log = SlowestCompileLog(e);
  const bool logged = log != nullptr && !log->graph_breaks.empty();
  const std::vector<StepSpan> regions = Outermost(e, e.HostSpans(NameTag::kCompiledRegion));
  // Forward and backward are two regions without any break.
  const double per_step = static_cast<double>(regions.size()) / e.step_count();
  if (per_step <= 3 && !logged) return Quiet{};
  if (per_step <= 3) {
    Fires fires =
        Lint(Say("graph-breaks.logged", uint64_t{log->graph_breaks.size()}), LoggedBreaks(*log));
    fires.gate = true;
    return fires;
  }
  Fires fires = Lint(Say("graph-breaks.title", CountedInStep(e, per_step)),
                     logged ? LoggedBreaks(*log) : Messages(Say("graph-breaks.because")));
  fires.saving_hi = e.Idle(Cause::kHostOp) + e.Idle(Cause::kPython);
  fires.evidence = e.Longest(regions);
  return fires;
}

RuleVerdict OutsideCompilation(const Evidence& e) {
  if (e.framework != Framework::kTensorFlow && e.framework != Framework::kJax) return Quiet{};
  const std::vector<StepSpan> outside = Outermost(e, e.HostSpans(NameTag::kOutsideCompilation));
  const DurationNs time = UnionOf(e, outside);
  if (e.Share(time) < e.limits[Limit::kOutsideCompilation]) return Quiet{};
  Fires fires = Lint(Say("tf-outside-compilation.title", OfEachStep(e, time)),
                     Say("tf-outside-compilation.because"));
  fires.saving_hi = time;
  fires.changes = ChangesOf(outside, ChangeType::kRemove);
  fires.evidence = e.Longest(outside);
  return fires;
}

constexpr std::array kRules{
    Rule{"tensor-created-on-host", RuleGroup::kLint, "", TensorCreatedOnHost},
    Rule{"python-loop-of-ops", RuleGroup::kLint, "", PythonLoopOfOps},
    Rule{"conv-autotune", RuleGroup::kLint, "", ConvAutotune},
    Rule{"gather-scatter-bound", RuleGroup::kLint, "", GatherScatterBound},
    Rule{"grad-mode-in-inference", RuleGroup::kLint, "", GradModeInInference},
    Rule{"conv-bias-before-bn", RuleGroup::kLint, "", ConvBiasBeforeBn},
    Rule{"zero-grad-to-zero", RuleGroup::kLint, "", ZeroGradToZero},
    Rule{"graph-breaks", RuleGroup::kLint, "", GraphBreaks},
    Rule{"tf-outside-compilation", RuleGroup::kLint, "", OutsideCompilation},
};

}  // namespace

std::span<const Rule> Lints() { return kRules; }

}  // namespace stepscope
