#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "advise/idle_after.h"
#include "advise/idle_stretches.h"
#include "advise/rule_tools.h"
#include "analyze/idle/idle.h"
#include "words/host.h"

// Rules for what the host does while the device is idle: launches, waits, copies, Python.
namespace stepscope {
namespace {

constexpr SayFrom<kHostTexts> Say;

// What a replayed graph launch costs per kernel.
constexpr int64_t kGraphKernelNs = 1'000;
// Dispatching an executable takes 20 to 200 µs; what takes longer does something else as well.
constexpr DurationNs kLongDispatch{2'000'000};
// Of each 100 ns that go to dispatching ops one by one, a graph saves at least so much.
constexpr int64_t kLeastOfDispatch = 65;
// Kernels shorter than this do little but start.
constexpr DurationNs kStartUpOnly{5'000};

// Each RunMetadata was recorded by itself: what the program does between two runs was not.
bool RecordedRunByRun(const Evidence& e) {
  return e.trace.facts.format == Format::kRunMetadata ||
         e.trace.facts.format == Format::kTensorFlowTimeline ||
         e.trace.facts.format == Format::kOnnxRuntime;
}

bool SessionRuns(const Evidence& e) { return e.linked.steps.source == StepSource::kSessionRun; }

Message WordsOf(const Evidence& e, Cause cause) {
  switch (cause) {
    case Cause::kInput:
      return Say("gpu-idle.input");
    case Cause::kSync:
      return Say("gpu-idle.sync");
    case Cause::kLaunch:
      return Say("gpu-idle.launch");
    case Cause::kHostOp:
      return Say("gpu-idle.host");
    case Cause::kPython:
      return Say("gpu-idle.python");
    case Cause::kCompile:
      return Say("gpu-idle.compile");
    case Cause::kCommunicationWait:
      return Say("gpu-idle.communication");
    case Cause::kCopyWait:
      return Say("gpu-idle.copy");
    case Cause::kProfiler:
      return Say("gpu-idle.profiler");
    case Cause::kBetweenSteps:
      return Say("gpu-idle.between");
    case Cause::kUnknown:
      return SessionRuns(e) ? Say("gpu-idle.executor") : Say("gpu-idle.unknown");
  }
  return {};
}

struct IdleShare {
  Cause cause;
  DurationNs idle;
};
std::vector<IdleShare> IdleByCause(const Evidence& e) {
  std::vector<IdleShare> shares;
  for (size_t c = 0; c < kCauses; ++c) {
    const DurationNs idle = e.Idle(static_cast<Cause>(c));
    if (idle.ns > 0) shares.push_back({static_cast<Cause>(c), idle});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const IdleShare& a, const IdleShare& b) { return a.idle > b.idle; });
  return shares;
}

// The row of the report that has the longest gap of a cause; nullptr: none.
const IdleCause* LongestOf(const Evidence& e, Cause cause) {
  for (const IdleCause& row : e.report.idle_causes) {
    if (row.device == e.device() && row.cause == cause) return &row;
  }
  return nullptr;
}

RuleVerdict GpuLowUtilization(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const double used = e.utilization();
  if (used >= e.limits[Limit::kUtilizationNote]) return Quiet{};
  const std::vector<IdleShare> causes = IdleByCause(e);
  Fires fires;
  fires.gate = true;  // a bound, not a promise: only the causes claim time
  fires.at_most =
      used < e.limits[Limit::kUtilizationLow] ? FindingSeverity::kMedium : FindingSeverity::kNote;
  fires.title = e.has_steps() ? Say("gpu-low-utilization.title", e.device_name(), used)
                              : Say("gpu-low-utilization.profile", e.device_name(), used);
  fires.sentence = causes.empty() ? Say("gpu-low-utilization.unknown")
                                  : Say("gpu-low-utilization.because", causes.front().idle,
                                        EachStep(e), WordsOf(e, causes.front().cause));
  const IdleCause* row = causes.empty() ? nullptr : LongestOf(e, causes.front().cause);
  if (row != nullptr) {
    fires.evidence.push_back({.device = e.device_name(),
                              .rank = e.trace.facts.rank,
                              .step = std::nullopt,
                              .start = row->longest.start,
                              .length = row->longest.length,
                              .events = {}});
  }
  return fires;
}

// Idle time of these causes in short stretches inside used steps, per step: the host goes from one
// launch to the next and cannot keep up. Long stretches are work of the host's own.
DurationNs ShortIdle(const Evidence& e, std::initializer_list<Cause> causes) {
  DurationNs sum{};
  for (const IdleGaps& gaps : e.report.idle_gaps) {
    if (gaps.device != e.device()) continue;
    size_t window = 0;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      while (window < e.windows().size() && e.windows()[window].time.end <= gaps.start[i]) ++window;
      if (window == e.windows().size()) break;
      if (gaps.start[i] < e.windows()[window].time.start || gaps.duration[i] >= kFeedingGap)
        continue;
      if (std::find(causes.begin(), causes.end(), gaps.cause[i]) != causes.end()) {
        sum += gaps.duration[i];
      }
    }
  }
  return e.PerStep(sum);
}
// Python in many short gaps is the code between calls and goes away with them.
DurationNs PythonBetweenCalls(const Evidence& e) {
  return ShortIdle(e, {Cause::kPython, Cause::kUnknown});
}

// How long the device waits for the host to launch the next of many kernels; 0 if it does not wait.
DurationNs DispatchIdle(const Evidence& e) {
  if (!e.has_device_work() || e.kernels().size() < 10 * size_t{e.step_count()}) return {};
  const DurationNs calls = ShortIdle(e, {Cause::kLaunch, Cause::kHostOp});
  if (e.Share(calls) < e.limits[Limit::kLaunchModerate]) return {};
  // Work that starts on an empty queue waited for the host.
  const auto events = static_cast<double>(std::max<uint64_t>(e.linked.links.device_events, 1));
  if (static_cast<double>(e.report.launches.queue_empty) < 0.25 * events) return {};
  return std::min(calls + PythonBetweenCalls(e), e.step());
}

// Nobody can fix what the profile does not show, so this says how to record more of the host.
Message FixForUnrecorded(Framework framework) {
  switch (framework) {
    case Framework::kTensorFlow:
      return Say("gpu-idle-gap-attribution.tensorflow.fix");
    case Framework::kJax:
      return Say("gpu-idle-gap-attribution.jax.fix");
    case Framework::kPyTorch:
    case Framework::kOnnxRuntime:
    case Framework::kOther:
      return Say("gpu-idle-gap-attribution.pytorch.fix");
  }
  return {};
}

RuleVerdict IdleGapAttribution(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const DurationNs between = DispatchIdle(e).ns > 0 ? PythonBetweenCalls(e) : DurationNs{};
  for (const IdleShare& share : IdleByCause(e)) {
    // Input, launches and waits have rules of their own.
    const bool python = share.cause == Cause::kPython || share.cause == Cause::kUnknown;
    const bool own_rule = share.cause == Cause::kInput || share.cause == Cause::kLaunch ||
                          share.cause == Cause::kHostOp || share.cause == Cause::kSync ||
                          share.cause == Cause::kCompile ||
                          share.cause == Cause::kCommunicationWait ||
                          (python && between.ns * 2 > share.idle.ns);
    if (own_rule || e.Share(share.idle) < e.limits[Limit::kGapShare]) continue;
    std::vector<Stretch> stretches = StretchesOf(e, share.cause);
    const DurationNs idle = share.idle - DropDispatch(e, python, stretches);
    if (e.Share(idle) < e.limits[Limit::kGapShare]) continue;
    const IdleCause* longest = LongestOf(e, share.cause);
    // Nobody can look at many gaps of a few microseconds one by one.
    if (longest == nullptr ||
        static_cast<double>(longest->longest.length.ns) < e.limits[Limit::kGapWorthNaming]) {
      continue;
    }
    Fires fires;
    fires.title = Say("gpu-idle-gap-attribution.title", e.device_name(), OfEachStep(e, idle),
                      WordsOf(e, share.cause));
    fires.sentence =
        longest->example.empty()
            ? Say("gpu-idle-gap-attribution.because", longest->longest.length)
            : Say("gpu-idle-gap-attribution.because-in", longest->longest.length, longest->example);
    EvidenceItem item{.device = e.device_name(),
                      .rank = e.trace.facts.rank,
                      .step = std::nullopt,
                      .start = longest->longest.start,
                      .length = longest->longest.length,
                      .events = {}};
    if (longest->longest.blamed != kNoSlice) {
      item.events.push_back(e.trace.slices.event[Index(longest->longest.blamed)]);
    }
    fires.evidence.push_back(item);
    if (share.cause == Cause::kUnknown) fires.fix = FixForUnrecorded(e.framework);
    fires.saving_hi = idle;
    const StringId culprit = CulpritOf(e, stretches);
    fires.changes = Cut(e, stretches, culprit);
    fires.changes_most = Cut(e, stretches, kEmptyString);
    if (culprit != kEmptyString) {
      fires.sentence = Say("gpu-idle-gap-attribution.most-in", e.Name(culprit));
    }
    fires.confidence = Confidence::kMedium;
    return fires;
  }
  return Quiet{};
}

RuleVerdict PyFuncInStep(const Evidence& e) {
  std::vector<StepSpan> calls;
  for (const NameTag tag : {NameTag::kPyFunc, NameTag::kCallback}) {
    for (const StepSpan& span : e.HostSpans(tag)) {
      if (!IsInInput(e, span.slice)) calls.push_back(span);
    }
  }
  const DurationNs exposed = ExposedHost(e, calls);
  if (calls.empty() || e.Share(exposed) < e.limits[Limit::kPyFuncInStep]) return Quiet{};
  Fires fires;
  fires.title = Say("pyfunc-in-step.title", OfEachStep(e, exposed));
  fires.sentence = Say("pyfunc-in-step.because");
  fires.saving_hi = exposed;
  fires.changes = ChangesOf(Outermost(e, calls), ChangeType::kRemove);
  fires.evidence = e.Longest(calls);
  return fires;
}

RuleVerdict InterStepGap(const Evidence& e) {
  // Between two ProfilerSteps is the profiler's own step(); what the program does is inside them.
  if (e.step_count() < 2 || e.linked.steps.source == StepSource::kProfilerStep) return Quiet{};
  if (RecordedRunByRun(e)) return Quiet{};
  std::vector<Interval> between;
  Interval longest{};
  for (uint32_t w = 1; w < e.windows().size(); ++w) {
    if (e.windows()[w].step != e.windows()[w - 1].step + 1) continue;
    between.push_back({e.windows()[w - 1].time.end, e.windows()[w].time.start});
    if (between.back().length() > longest.length()) longest = between.back();
  }
  const auto gaps = static_cast<int64_t>(between.size());
  const auto worth = [&](const IntervalSet& idle) {
    return gaps > 0 && e.Share({idle.length().ns / gaps}) >= e.limits[Limit::kGapShare];
  };
  const IntervalSet idle = IntervalSet::Of(std::move(between)).Subtract(e.busy());
  if (!worth(idle)) return Quiet{};
  std::vector<Interval> input;
  for (uint32_t s = 0; s < e.trace.slices.size(); ++s) {
    if (e.trace.slices.kind[s] == Kind::kInput || e.trace.Traits(s).input_stage) {
      input.push_back({e.trace.slices.start[s], e.trace.slices.end(s)});
    }
  }
  const IntervalSet without_input = idle.Subtract(IntervalSet::Of(std::move(input)));
  if (!worth(without_input)) return Quiet{};
  const DurationNs mean{without_input.length().ns / gaps};
  Fires fires;
  fires.title = Say("inter-step-gap.title", mean, e.Share(mean));
  fires.sentence = Say("inter-step-gap.because");
  fires.saving_hi = mean;
  fires.evidence.push_back({.device = e.has_device_work() ? e.device_name() : std::string(),
                            .rank = e.trace.facts.rank,
                            .step = std::nullopt,
                            .start = longest.start,
                            .length = longest.length(),
                            .events = {}});
  return fires;
}

RuleVerdict KernelLaunchBound(const Evidence& e) {
  const DurationNs dispatch = DispatchIdle(e);
  if (dispatch.ns == 0) return Quiet{};
  const auto per_step = static_cast<int64_t>(e.kernels().size() / e.step_count());
  const double empty = static_cast<double>(e.report.launches.queue_empty) /
                       static_cast<double>(e.linked.links.device_events);
  std::vector<StepSpan> tiny;
  for (const StepSpan& span : e.kernels()) {
    if (e.trace.slices.duration[span.slice] < kStartUpOnly) tiny.push_back(span);
  }
  std::vector<StepSpan> ops;
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      if (e.trace.slices.kind[s] == Kind::kOp) ops.push_back({s, 0});
    }
  }
  Fires fires;
  fires.title = Say("kernel-launch-bound.title", OfEachStep(e, dispatch), per_step);
  fires.sentence = Say("kernel-launch-bound.because", empty,
                       e.report.launches.median_call.value_or(DurationNs{}));
  fires.saving_hi = std::min(dispatch + TimeOf(e, tiny), e.step());
  fires.changes = ChangesOf(Outermost(e, ops), ChangeType::kScale, 0.05);
  fires.lo_at_most =
      std::max(e.real_step() - e.busy_time() - DurationNs{per_step * kGraphKernelNs}, DurationNs{});
  fires.device_goes = TimeOf(e, tiny);
  fires.lo_means = Say("kernel-launch-bound.lo");
  if (!tiny.empty()) fires.hi_means = Say("kernel-launch-bound.hi");
  fires.evidence = e.Longest(e.launch_calls());
  return fires;
}

RuleVerdict BlockingSyncCalls(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const AfterSync after = IdleAfterSpans(e, e.sync_calls());
  if (e.Share(after.idle) < e.limits[Limit::kSyncIdleShare]) return Quiet{};
  const double per_step = static_cast<double>(e.sync_calls().size()) / e.step_count();
  Fires fires;
  fires.title =
      Say("blocking-sync-calls.title", CountedInStep(e, per_step), OfEachStep(e, after.idle));
  fires.sentence = Say("blocking-sync-calls.because");
  fires.saving_hi = after.idle;
  fires.changes = ChangesOf(after.guilty, ChangeType::kNoWait);
  fires.evidence = e.Longest(after.guilty);
  return fires;
}

// The op right before each of the spans, by the same caller: what is read was computed there.
std::vector<StepSpan> OpsBefore(const Evidence& e, std::span<const StepSpan> spans) {
  const Slices& slices = e.trace.slices;
  std::vector<StepSpan> before;
  for (const StepSpan& span : spans) {
    const uint32_t first = e.trace.tracks[Index(e.trace.TrackOf(span.slice))].slices.first;
    for (uint32_t s = span.slice; s > first;) {
      --s;
      if (slices.depth[s] > slices.depth[span.slice]) continue;
      const bool sibling =
          slices.depth[s] == slices.depth[span.slice] && slices.kind[s] == Kind::kOp;
      if (sibling && !Has(e.Tags(slices.name[s]), NameTag::kReadback)) {
        before.push_back({s, span.window});
      }
      break;
    }
  }
  return before;
}

RuleVerdict ScalarReadback(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  // Reading a value that is on the host already waits for nothing.
  std::vector<StepSpan> reads;
  for (const StepSpan& span : e.sync_calls()) {
    if (Has(e.TagsOfSpan(span), NameTag::kReadback) || IsUnder(e, span.slice, NameTag::kReadback)) {
      reads.push_back(span);
    }
  }
  std::vector<bool> seen(e.step_count(), false);
  for (const StepSpan& span : reads) seen[span.window] = true;
  const auto with = static_cast<double>(std::count(seen.begin(), seen.end(), true));
  if (with < e.limits[Limit::kReadbackSteps] * e.step_count()) return Quiet{};
  const AfterSync after = IdleAfterSpans(e, reads);
  if (e.Share(after.idle) < e.limits[Limit::kReadbackShare]) return Quiet{};
  Fires fires;
  fires.title =
      Say("per-step-scalar-readback.title",
          CountedInStep(e, static_cast<double>(reads.size()) / e.step_count()), after.idle);
  fires.sentence = Say("per-step-scalar-readback.because");
  // With the read goes the call that makes it, and maybe what was computed only to be read.
  const std::vector<StepSpan> readers = OutermostTagged(e, reads, NameTag::kReadback);
  fires.saving_hi = std::max(after.idle, ExposedHost(e, readers));
  fires.changes = ChangesOf(reads, ChangeType::kNoWait);
  const std::vector<StepSpan> before = OpsBefore(e, readers);
  if (!before.empty()) fires.changes_most = ChangesOf(readers, ChangeType::kRemove);
  for (const Change& change : ChangesOf(before, ChangeType::kRemove)) {
    fires.changes_most.push_back(change);
  }
  fires.evidence = e.Longest(reads);
  if (!e.WorthSaying(after.idle)) {
    fires.gate = true;
    fires.at_most = FindingSeverity::kNote;
    fires.sentence = Say("per-step-scalar-readback.noise");
    fires.saving_hi = {};
  }
  return fires;
}

RuleVerdict EagerExecution(const Evidence& e) {
  if (e.framework == Framework::kJax) {
    const double per_step =
        static_cast<double>(e.Sum(NameTag::kJitExecutable).calls) / e.step_count();
    if (per_step <= e.limits[Limit::kExecutablesPerStep]) return Quiet{};
    // Most of them are the step itself where few are short: compiled code that runs long, a
    // callback, compilation have rules of their own.
    std::vector<StepSpan> calls = Outermost(e, e.HostSpans(NameTag::kJitExecutable));
    std::erase_if(calls, [&](const StepSpan& span) {
      return e.trace.slices.duration[span.slice] >= kLongDispatch;
    });
    const double small = static_cast<double>(calls.size()) / e.step_count();
    if (small <= e.limits[Limit::kExecutablesPerStep]) return Quiet{};
    Fires fires;
    fires.title = Say("eager-execution-overhead.dispatch", CountedInStep(e, per_step));
    fires.sentence = Say("eager-execution-overhead.dispatch.because");
    // With the calls goes the Python between them.
    fires.saving_hi =
        std::min(ExposedHost(e, calls) + PythonBetweenCalls(e), e.step() - e.busy_time());
    fires.changes = ChangesOf(calls, ChangeType::kScale, 0.05);
    fires.confidence = Confidence::kMedium;
    fires.evidence = e.Longest(calls);
    return fires;
  }
  if (e.framework != Framework::kTensorFlow) return Quiet{};
  const std::vector<StepSpan> eager = Outermost(e, e.HostSpans(NameTag::kEagerExecute));
  std::vector<StepSpan> plain;
  for (const StepSpan& span : eager) {
    // An eager call of a function is graph execution; everything else is one op at a time.
    // Asking for a batch is input.
    bool other = e.trace.Traits(span.slice).input_stage;
    for (uint32_t s = span.slice + 1;
         s < e.trace.slices.size() && e.trace.slices.start[s] < e.trace.slices.end(span.slice) &&
         e.trace.slices.depth[s] > e.trace.slices.depth[span.slice];
         ++s) {
      const NameTags& tags = e.Tags(e.trace.slices.name[s]);
      other = other || Has(tags, NameTag::kFunctionCall) || Has(tags, NameTag::kIterator) ||
              Has(tags, NameTag::kGetNext);
    }
    if (!other) plain.push_back(span);
  }
  const DurationNs time = ExposedHost(e, plain);
  const double per_step = static_cast<double>(plain.size()) / e.step_count();
  if (per_step <= e.limits[Limit::kExecutablesPerStep] ||
      e.Share(time) < e.limits[Limit::kEagerShare])
    return Quiet{};
  Fires fires;
  fires.sentence = Say("eager-execution-overhead.because");
  // The calls and what the thread does between them; how much of it the ops compute is unknown.
  fires.saving_hi = std::min(
      time + e.Idle(Cause::kHostOp) + e.Idle(Cause::kPython) + e.Idle(Cause::kUnknown), e.step());
  fires.title = Say("eager-execution-overhead.title", CountedInStep(e, per_step),
                    OfEachStep(e, fires.saving_hi));
  // What the ops compute stays, and a graph's executor dispatches them as well, faster.
  const NameTotal computing = e.Sum(
      [](std::string_view name, const NameTotal&) { return name == "KernelAndDeviceFunc::Run"; });
  const DurationNs dispatch = std::max(fires.saving_hi - e.PerStep(computing.host), DurationNs{});
  if (computing.calls > 0) fires.lo_at_least = {dispatch.ns * kLeastOfDispatch / 100};
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(plain);
  return fires;
}

constexpr std::array kRules{
    Rule{"gpu-low-utilization", RuleGroup::kHost, "", GpuLowUtilization, Role::kSymptom},
    Rule{"gpu-idle-gap-attribution", RuleGroup::kHost, "", IdleGapAttribution, Role::kSymptom},
    Rule{"pyfunc-in-step", RuleGroup::kHost, "", PyFuncInStep},
    Rule{"inter-step-gap", RuleGroup::kHost, "", InterStepGap, Role::kSymptom},
    Rule{"kernel-launch-bound", RuleGroup::kHost, "", KernelLaunchBound, Role::kSymptom},
    Rule{"blocking-sync-calls", RuleGroup::kHost, "", BlockingSyncCalls, Role::kSymptom},
    Rule{"per-step-scalar-readback", RuleGroup::kHost, "blocking-sync-calls", ScalarReadback},
    Rule{"eager-execution-overhead", RuleGroup::kHost, "", EagerExecution},
};

}  // namespace

std::span<const Rule> HostRules() { return kRules; }

}  // namespace stepscope
