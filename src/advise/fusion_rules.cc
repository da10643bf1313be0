#include <algorithm>
#include <array>
#include <string_view>

#include "advise/graph_facts.h"
#include "advise/rule_tools.h"
#include "words/fusion.h"

// Rules for work in many small pieces that one kernel or one call could do.
namespace stepscope {
namespace {

constexpr SayFrom<kFusionTexts> Say;

RuleVerdict BatchNormUnfused(const Evidence& e) {
  if (e.graph != nullptr) {
    const std::vector<std::string> scopes = UnfusedBatchNorms(*e.graph);
    if (scopes.empty()) return Quiet{};
    Fires fires;
    fires.gate = true;
    fires.at_most = FindingSeverity::kMedium;
    fires.title = Say("batchnorm-unfused.graph", scopes.size(), scopes.front());
    fires.sentence = Say("batchnorm-unfused.graph.because");
    return fires;
  }
  const bool fused = e.Occurs(NameTag::kBatchNormFused);
  const NameTotal parts = e.Sum(NameTag::kBatchNormPart);
  const uint64_t per_step = parts.calls / e.step_count();
  // A root without a variance is another normalisation (RMSNorm).
  if (fused || per_step < 2 || !e.Occurs(NameTag::kVariance)) return Quiet{};
  // The other ops of the same scope belong to it.
  std::vector<StepSpan> spans = e.HostSpans(NameTag::kBatchNormPart);
  for (const StepSpan& span : e.HostSpans(NameTag::kBatchNormScope)) spans.push_back(span);
  spans = Outermost(e, spans);
  const DurationNs time =
      std::max(e.PerStep(parts.launched), e.has_device_work() ? DurationNs{} : UnionOf(e, spans));
  Fires fires;
  fires.title = Say("batchnorm-unfused.title", OfEachStep(e, time));
  fires.sentence = Say("batchnorm-unfused.because");
  fires.saving_hi = time;
  fires.gate = e.Share(time) < e.limits[Limit::kWorthSaying];
  fires.at_most = fires.gate ? FindingSeverity::kNote : FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(spans);
  return fires;
}

bool BySlice(const StepSpan& a, const StepSpan& b) { return a.slice < b.slice; }

// Whether one of the spans (outermost ones, by slice) is the slice or around it.
bool IsInside(const Evidence& e, uint32_t slice, std::span<const StepSpan> spans) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), StepSpan{slice, 0}, BySlice);
  if (after == spans.begin()) return false;
  const uint32_t around = (after - 1)->slice;
  return e.trace.slices.start[slice] < e.trace.slices.end(around) &&
         e.trace.TrackOf(around) == e.trace.TrackOf(slice);
}

// Runs of pointwise kernels on one stream, back to back.
RuleVerdict ElementwiseChain(const Evidence& e) {
  // XLA fuses by itself: what is left are its fusions.
  if (!e.has_device_work() || e.framework == Framework::kJax) return Quiet{};
  const auto least = static_cast<size_t>(e.limits[Limit::kChain]);
  std::vector<StepSpan> members;
  std::vector<Change> changes;
  std::vector<StepSpan> run;
  const auto close = [&] {
    if (run.size() >= least) {
      members.insert(members.end(), run.begin(), run.end());
      // Fused, the chain reads its input and writes its output once.
      for (size_t i = 1; i < run.size(); ++i)
        changes.push_back({SliceId{run[i].slice}, ChangeType::kRemove, 0});
    }
    run.clear();
  };
  std::vector<StepSpan> pointwise;
  for (const StepSpan& span : e.kernels()) {
    // What a compiler wrote is fused already, and an optimizer's kernels each do many tensors.
    const NameTags& tags = e.TagsOfSpan(span);
    if (e.trace.Traits(span.slice).category == KernelCategory::kElementwise &&
        !Has(tags, NameTag::kGeneratedKernel) && !Has(tags, NameTag::kOptimizerMultiTensor)) {
      pointwise.push_back(span);
    }
  }
  if (e.Share(TimeOf(e, pointwise)) < e.limits[Limit::kChainShare]) return Quiet{};
  const auto alike = [&](uint32_t a, uint32_t b) {
    const DeviceArgs of_a = e.trace.DeviceOf(a);
    const DeviceArgs of_b = e.trace.DeviceOf(b);
    return of_a.stream == of_b.stream && std::ranges::equal(of_a.grid, of_b.grid);
  };
  // The slices of a stream are its work in order, so a kernel that is not pointwise leaves a gap in
  // the row numbers.
  for (const StepSpan& span : pointwise) {
    // Kernels of one chain go over the same elements: about as long each, with the same grid.
    const bool follows = !run.empty() && run.back().slice + 1 == span.slice &&
                         run.back().window == span.window && alike(run.back().slice, span.slice);
    if (!follows) close();
    run.push_back(span);
  }
  close();
  const DurationNs time = TimeOf(e, members);
  if (e.Share(time) < e.limits[Limit::kChainShare]) return Quiet{};
  DurationNs removed{};
  for (const Change& change : changes) removed += e.trace.slices.duration[Index(change.slice)];
  Fires fires;
  fires.title = Say("elementwise-unfused-chain.title", OfEachStep(e, time),
                    static_cast<double>(members.size()) / e.step_count());
  fires.sentence = Say("elementwise-unfused-chain.because");
  fires.saving_hi = e.PerStep(removed);
  fires.changes = std::move(changes);
  fires.lo_at_most =
      DurationNs{fires.saving_hi.ns * 8 / 10};  // the fused kernel does more than one
  fires.saving_note = Say("elementwise-unfused-chain.note");
  // Every eager model has some; compiling all of it is a lot to ask for a little.
  if (e.Share(fires.saving_hi) < e.limits[Limit::kCompileWorth]) {
    fires.at_most = FindingSeverity::kLow;
  }
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(members);
  return fires;
}

RuleVerdict AttentionUnfused(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  if (e.Occurs(NameTag::kAttentionFused) || !e.Occurs(NameTag::kBatchedMatmul)) return Quiet{};
  // bmm, softmax, bmm by the same thread, in this order, with at most a few pointwise ops between.
  std::vector<StepSpan> chain;
  enum class Stage : uint8_t { kNone, kScores, kSoftmax } stage = Stage::kNone;
  std::vector<StepSpan> open;
  uint64_t chains = 0;
  for (const StepSpan& span : e.kernels()) {
    const SliceId op = e.linked.links.op_of[e.trace.slices.args[span.slice]];
    if (op == kNoSlice) continue;
    const NameTags& tags = e.Tags(e.trace.slices.name[Index(op)]);
    const bool batched = Has(tags, NameTag::kBatchedMatmul);
    const bool softmax = Has(tags, NameTag::kSoftmax);
    if (batched && stage == Stage::kSoftmax) {
      open.push_back(span);
      chain.insert(chain.end(), open.begin(), open.end());
      ++chains;
      open.clear();
      stage = Stage::kNone;
    } else if (batched) {
      open.assign(1, span);
      stage = Stage::kScores;
    } else if (softmax && stage == Stage::kScores) {
      open.push_back(span);
      stage = Stage::kSoftmax;
    } else if (stage != Stage::kNone) {
      open.push_back(span);
      if (open.size() > 8) stage = Stage::kNone;
    }
  }
  const DurationNs time = TimeOf(e, chain);
  if (chains == 0 || e.Share(time) < e.limits[Limit::kAttentionShare]) return Quiet{};
  std::vector<StepSpan> between;
  for (const StepSpan& span : chain) {
    if (e.trace.Traits(span.slice).category != KernelCategory::kGemm) between.push_back(span);
  }
  Fires fires;
  fires.title = Say("attention-unfused.title", OfEachStep(e, time),
                    static_cast<double>(chains) / e.step_count());
  fires.sentence = Say("attention-unfused.because");
  fires.saving_hi = TimeOf(e, between);
  fires.changes = ChangesOf(between, ChangeType::kRemove);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(chain);
  return fires;
}

RuleVerdict OptimizerNotFused(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const std::vector<StepSpan> phases = Outermost(e, e.optimizer_spans());
  const DurationNs phase = UnionOf(e, phases);
  const uint64_t parameters =
      e.Sum(NameTag::kAccumulateGrad).calls / 2;  // each is one span inside another
  if (parameters == 0 || e.Share(phase) < e.limits[Limit::kOptimizerShare]) return Quiet{};
  std::vector<StepSpan> kernels;
  uint64_t multi = 0;
  for (const StepSpan& span : e.kernels()) {
    const SliceId launch = e.linked.links.launch_of[e.trace.slices.args[span.slice]];
    if (launch == kNoSlice || !IsInside(e, Index(launch), phases)) continue;
    kernels.push_back(span);
    multi += Has(e.TagsOfSpan(span), NameTag::kOptimizerMultiTensor) ? 1 : 0;
  }
  if (kernels.empty() || multi * 2 > kernels.size()) return Quiet{};
  const DurationNs mean{TimeOf(e, kernels).ns * e.step_count() /
                        static_cast<int64_t>(kernels.size())};
  const double per_parameter =
      static_cast<double>(kernels.size()) / static_cast<double>(parameters);
  if (per_parameter < e.limits[Limit::kKernelsPerParameter] ||
      static_cast<double>(mean.ns) >= e.limits[Limit::kTinyKernel]) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("optimizer-not-fused.title",
                    CountedInStep(e, static_cast<double>(kernels.size()) / e.step_count()),
                    per_parameter, OfEachStep(e, phase));
  fires.sentence = Say("optimizer-not-fused.because");
  fires.saving_hi = phase;
  // The fused kernel still reads and writes every parameter; the foreach form makes a few more
  // calls.
  fires.changes = ChangesOf(phases, ChangeType::kScale, 0.3);
  fires.changes_most = ChangesOf(phases, ChangeType::kScale, 0.05);
  for (const Change& change : ChangesOf(kernels, ChangeType::kScale, 0.5)) {
    fires.changes.push_back(change);
    fires.changes_most.push_back(change);
  }
  fires.evidence = e.Longest(phases);
  return fires;
}

RuleVerdict RnnUnfused(const Evidence& e) {
  const NameTotal cells = e.Sum(NameTag::kRnnCell);
  if (cells.calls == 0 || e.Occurs(NameTag::kRnnFused)) return Quiet{};
  const std::vector<StepSpan> spans = Outermost(e, e.HostSpans(NameTag::kRnnCell));
  const double per_step = static_cast<double>(spans.size()) / e.step_count();
  const DurationNs time = ExposedHost(e, spans) + e.PerStep(cells.launched);
  if (per_step < 8) return Quiet{};
  Fires fires;
  fires.title = Say("rnn-unfused-cell.title", CountedInStep(e, per_step), OfEachStep(e, time));
  fires.sentence = Say("rnn-unfused-cell.because");
  fires.saving_hi = std::min(time, e.step());
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(spans);
  return fires;
}

// From the first to the last op of a step's loops: between them the loop itself works. What else
// runs meanwhile while the loop runs nothing is what it waits for: an Enter may stand long before
// the first iteration.
IntervalSet TimeOfLoops(const Evidence& e, std::span<const StepSpan> loops) {
  const Slices& slices = e.trace.slices;
  std::vector<Interval> extents(e.step_count(), {TimeNs{INT64_MAX}, TimeNs{INT64_MIN}});
  std::vector<Interval> own;
  for (const StepSpan& span : loops) {
    Interval& extent = extents[span.window];
    own.push_back({slices.start[span.slice], slices.end(span.slice)});
    extent.start = std::min(extent.start, own.back().start);
    extent.end = std::max(extent.end, own.back().end);
  }
  std::vector<Interval> others;
  for (const Track& track : e.trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      if (slices.kind[s] != Kind::kOp || Has(e.Tags(slices.name[s]), NameTag::kLoop)) continue;
      // An op around the loop is no other op.
      if (s + 1 < track.slices.last && slices.parent[s + 1] == SliceId{s}) continue;
      others.push_back({slices.start[s], slices.end(s)});
    }
  }
  const IntervalSet waits = IntervalSet::Of(std::move(others)).Subtract(IntervalSet::Of(own));
  return IntervalSet::Of(std::move(extents)).Subtract(waits);
}

RuleVerdict SerialLoop(const Evidence& e) {
  if (e.graph != nullptr && IndependentLoops(*e.graph).empty()) return Quiet{};
  const std::vector<StepSpan> loops = Outermost(e, e.HostSpans(NameTag::kLoop));
  const double per_step = static_cast<double>(loops.size()) / e.step_count();
  if (per_step < e.limits[Limit::kLoopIterations]) return Quiet{};
  const DurationNs time = e.PerStep(TimeOfLoops(e, loops).Subtract(e.compute()));
  if (e.Share(time) < e.limits[Limit::kLoopShare]) return Quiet{};
  Fires fires;
  fires.title = Say("map-fn-while-loop-serial.title", OfEachStep(e, time), per_step);
  fires.sentence = Say("map-fn-while-loop-serial.because");
  fires.saving_hi = time;
  // Only a graph shows whether iterations are independent; a loop over training steps is not meant.
  fires.at_most = e.graph != nullptr ? FindingSeverity::kMedium : FindingSeverity::kLow;
  fires.confidence = Confidence::kLow;
  fires.evidence = e.Longest(loops);
  return fires;
}

// Whether the op was called by one that multiplies matrices, or by a backward pass.
bool ByAutocast(const Evidence& e, SliceId op) {
  for (SliceId at = op; at != kNoSlice; at = e.trace.slices.parent[Index(at)]) {
    const NameTraits& traits = e.trace.Traits(Index(at));
    if (traits.tensor_core_eligible || traits.backward ||
        Has(e.Tags(e.trace.slices.name[Index(at)]), NameTag::kBackward)) {
      return true;
    }
  }
  return false;
}

// Ops that lose too much in 16 bit: what is widened for them is narrowed again.
constexpr std::array<std::string_view, 9> kWantWide{
    "aten::mean", "aten::rsqrt", "aten::var",      "aten::var_mean",   "aten::softmax",
    "aten::sum",  "aten::exp",   "aten::_softmax", "aten::log_softmax"};

// So many spans after a conversion to 32 bit are looked at.
constexpr uint32_t kNearby = 64;

// Whether the conversion of 16-bit numbers is for the sake of an op that wants them wide, or the
// one that leads back from it.
bool GuardsNumerics(const Evidence& e, SliceId op) {
  if (op == kNoSlice) return false;
  const Trace& trace = e.trace;
  const RowRange rows = trace.tracks[Index(trace.TrackOf(Index(op)))].slices;
  const auto wide = [&](uint32_t s) {
    return std::find(kWantWide.begin(), kWantWide.end(), trace.Name(s)) != kWantWide.end();
  };
  const uint32_t at = Index(op);
  for (uint32_t s = at + 1; s < std::min(rows.last, at + kNearby); ++s) {
    if (trace.Traits(s).tensor_core_eligible) break;
    if (wide(s)) return true;
  }
  for (uint32_t s = at; s-- > std::max(rows.first, at < kNearby ? 0 : at - kNearby);) {
    if (trace.Traits(s).tensor_core_eligible) break;
    if (wide(s)) return true;
  }
  return false;
}

RuleVerdict CastChurn(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  std::vector<StepSpan> casts;
  std::vector<StepSpan> needless;
  TagsAround around(e);
  for (const StepSpan& span : e.kernels()) {
    const SliceId op = e.linked.links.op_of[e.trace.slices.args[span.slice]];
    if (!Has(around.Of(op), NameTag::kCast)) continue;
    // Autocast converts inside of the op that wants it, and its backward converts back: that is
    // what mixed precision is.
    if (ByAutocast(e, op)) continue;
    casts.push_back(span);
    if (!GuardsNumerics(e, op)) needless.push_back(span);
  }
  const DurationNs time = TimeOf(e, casts);
  if (e.Share(time) < e.limits[Limit::kCastShare]) return Quiet{};
  Fires fires;
  fires.title = Say("dtype-cast-churn.title", OfEachStep(e, time));
  fires.sentence = Say("dtype-cast-churn.because",
                       CountedInStep(e, static_cast<double>(casts.size()) / e.step_count()));
  fires.saving_hi = time;
  fires.changes = ChangesOf(needless, ChangeType::kRemove);
  // A norm in 32 bit is what its author wants: only fusing takes its conversions away.
  if (TimeOf(e, needless).ns * 2 < time.ns) fires.at_most = FindingSeverity::kLow;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(casts);
  return fires;
}

constexpr std::array kRules{
    Rule{"batchnorm-unfused", RuleGroup::kKernels, "", BatchNormUnfused},
    Rule{"elementwise-unfused-chain", RuleGroup::kKernels, "kernels-memory-bound",
         ElementwiseChain},
    Rule{"attention-unfused", RuleGroup::kKernels, "", AttentionUnfused},
    Rule{"optimizer-not-fused", RuleGroup::kKernels, "", OptimizerNotFused},
    Rule{"dtype-cast-churn", RuleGroup::kKernels, "", CastChurn},
    Rule{"rnn-unfused-cell", RuleGroup::kKernels, "", RnnUnfused},
    Rule{"map-fn-while-loop-serial", RuleGroup::kKernels, "", SerialLoop},
};

}  // namespace

std::span<const Rule> FusionRules() { return kRules; }

}  // namespace stepscope
