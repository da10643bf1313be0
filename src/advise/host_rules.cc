#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "advise/idle_after.h"
#include "advise/rule_tools.h"

// Rules for what the host does while the device is idle: launches, waits, copies, Python.
namespace stepscope {
namespace {

// What a replayed graph launch costs per kernel.
constexpr int64_t kGraphKernelNs = 1'000;
// Kernels shorter than this do little but start.
constexpr DurationNs kStartUpOnly{5'000};

std::string_view WordsOf(Cause cause) {
  switch (cause) {
    case Cause::kInput:
      return "waits for input";
    case Cause::kSync:
      return "waits in a synchronising call";
    case Cause::kLaunch:
      return "is launching work";
    case Cause::kHostOp:
      return "runs framework code";
    case Cause::kPython:
      return "runs Python";
    case Cause::kCompile:
      return "compiles";
    case Cause::kCommunicationWait:
      return "waits for communication";
    case Cause::kCopyWait:
      return "waits for a copy";
    case Cause::kProfiler:
      return "runs the profiler's own code";
    case Cause::kBetweenSteps:
      return "is between two steps";
    case Cause::kUnknown:
      return "does nothing that was recorded";
  }
  return "";
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
  fires.title = fmt::format("{} works {} of the {}.", e.device_name(), Percent(used),
                            e.has_steps() ? "step" : "profile");
  fires.sentence =
      causes.empty()
          ? std::string("The profile does not say what the host does meanwhile.")
          : fmt::format("Most of the rest, {} {}, the launching thread {}.",
                        Words(causes.front().idle), EachStep(e), WordsOf(causes.front().cause));
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

// Python in many short gaps is the code between calls and goes away with them; long stretches are
// other work.
DurationNs PythonBetweenCalls(const Evidence& e) {
  constexpr int64_t kShort = 100'000;
  DurationNs sum{};
  for (const IdleCause& row : e.report.idle_causes) {
    const bool python = row.cause == Cause::kPython || row.cause == Cause::kUnknown;
    if (!python || row.device != e.device() || row.gaps == 0) continue;
    if (row.total.ns / static_cast<int64_t>(row.gaps) < kShort) sum += e.Idle(row.cause);
  }
  return sum;
}

// How long the device waits for the host to launch the next of many kernels; 0 if it does not wait.
DurationNs DispatchIdle(const Evidence& e) {
  if (!e.has_device_work() || e.kernels().size() < 10 * size_t{e.step_count()}) return {};
  const DurationNs calls = e.Idle(Cause::kLaunch) + e.Idle(Cause::kHostOp);
  if (e.Share(calls) < e.limits[Limit::kLaunchModerate]) return {};
  // Work that starts on an empty queue waited for the host.
  const auto events = static_cast<double>(std::max<uint64_t>(e.linked.links.device_events, 1));
  if (static_cast<double>(e.report.launches.queue_empty) < 0.25 * events) return {};
  return std::min(calls + PythonBetweenCalls(e), e.step());
}

// Nobody can fix what the profile does not show, so this says how to record more of the host.
std::string FixForUnrecorded(Framework framework) {
  switch (framework) {
    case Framework::kTensorFlow:
      return "see what the host does: "
             "tf.profiler.experimental.ProfilerOptions(host_tracer_level=3, "
             "python_tracer_level=1)";
    case Framework::kJax:
      return "see what the host does: jax.profiler.ProfileOptions() with python_tracer_level = 1";
    case Framework::kPyTorch:
    case Framework::kOnnxRuntime:
    case Framework::kOther:
      return "see what the host does: torch.profiler.profile(with_stack=True), or py-spy beside it";
  }
  return {};
}

RuleVerdict IdleGapAttribution(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const bool launch_bound = DispatchIdle(e).ns > 0 && PythonBetweenCalls(e).ns > 0;
  for (const IdleShare& share : IdleByCause(e)) {
    // Input, launches and waits have rules of their own.
    const bool python = share.cause == Cause::kPython || share.cause == Cause::kUnknown;
    const bool own_rule = share.cause == Cause::kInput || share.cause == Cause::kLaunch ||
                          share.cause == Cause::kHostOp || share.cause == Cause::kSync ||
                          share.cause == Cause::kCompile || (launch_bound && python);
    if (own_rule || e.Share(share.idle) < e.limits[Limit::kGapShare]) continue;
    const IdleCause* longest = LongestOf(e, share.cause);
    // Nobody can look at many gaps of a few microseconds one by one.
    if (longest == nullptr ||
        static_cast<double>(longest->longest.length.ns) < e.limits[Limit::kGapWorthNaming]) {
      continue;
    }
    Fires fires;
    fires.title = fmt::format("{} idles {} while the launching thread {}.", e.device_name(),
                              OfEachStep(e, share.idle), WordsOf(share.cause));
    fires.sentence = fmt::format("The longest stretch lasts {}", Words(longest->longest.length));
    fires.sentence += longest->example.empty() ? "." : fmt::format(", in {}.", longest->example);
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
    fires.saving_hi = share.idle;
    fires.at_most = python || e.Share(share.idle) < e.limits[Limit::kGapHigh]
                        ? FindingSeverity::kMedium
                        : FindingSeverity::kHigh;
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
  fires.title =
      fmt::format("A Python function inside the model holds the step: {}.", OfEachStep(e, exposed));
  fires.sentence = "Its inputs are copied to the host and its result back while the device waits.";
  fires.saving_hi = exposed;
  fires.changes = ChangesOf(Outermost(e, calls), ChangeType::kRemove);
  fires.evidence = e.Longest(calls);
  return fires;
}

RuleVerdict InterStepGap(const Evidence& e) {
  // Between two ProfilerSteps is the profiler's own step(); what the program does is inside them.
  if (e.step_count() < 2 || e.linked.steps.source == StepSource::kProfilerStep) return Quiet{};
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
  fires.title = fmt::format("Between two steps nothing runs for {} ({} of a step).", Words(mean),
                            Percent(e.Share(mean)));
  fires.sentence = "It is not input: callbacks, metrics, logging or Python between the steps.";
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
  fires.title = fmt::format(
      "The host cannot launch fast enough: {} the device waits for the next of {} kernels.",
      OfEachStep(e, dispatch), per_step);
  fires.sentence = fmt::format(
      "{} of the device work starts on an empty queue; the median kernel is launched in {}.",
      Percent(empty), Words(e.report.launches.median_call.value_or(DurationNs{})));
  fires.saving_hi = std::min(dispatch + TimeOf(e, tiny), e.step());
  fires.changes = ChangesOf(Outermost(e, ops), ChangeType::kScale, 0.05);
  fires.lo_at_most =
      std::max(e.step() - e.busy_time() - DurationNs{per_step * kGraphKernelNs}, DurationNs{});
  fires.lo_means = "as one replayed graph with 1 µs a kernel";
  if (!tiny.empty()) fires.hi_means = "with kernels under 5 µs fused as well";
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
      fmt::format("Synchronising calls drain the queue, {}: afterwards the device idles {}.",
                  CountedInStep(e, per_step), OfEachStep(e, after.idle));
  fires.sentence =
      "What the calls themselves wait for is the model's own work and cannot be saved.";
  fires.saving_hi = after.idle;
  fires.changes = ChangesOf(after.guilty, ChangeType::kNoWait);
  fires.evidence = e.Longest(after.guilty);
  return fires;
}

RuleVerdict ScalarReadback(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  // Reading a value that is on the host already waits for nothing.
  std::vector<StepSpan> reads;
  for (const StepSpan& span : e.sync_calls()) {
    if (IsUnder(e, span.slice, NameTag::kReadback)) reads.push_back(span);
  }
  std::vector<bool> seen(e.step_count(), false);
  for (const StepSpan& span : reads) seen[span.window] = true;
  const auto with = static_cast<double>(std::count(seen.begin(), seen.end(), true));
  if (with < e.limits[Limit::kReadbackSteps] * e.step_count()) return Quiet{};
  const AfterSync after = IdleAfterSpans(e, reads);
  if (e.Share(after.idle) < e.limits[Limit::kReadbackShare]) return Quiet{};
  Fires fires;
  fires.title = fmt::format(
      "Values are read back in every step, {}: afterwards the device idles {}.",
      CountedInStep(e, static_cast<double>(reads.size()) / e.step_count()), Words(after.idle));
  fires.sentence = "Logging every N steps saves all but one N-th of it.";
  fires.saving_hi = after.idle;
  fires.changes = ChangesOf(reads, ChangeType::kNoWait);
  fires.evidence = e.Longest(reads);
  if (!e.WorthSaying(after.idle)) {
    fires.gate = true;
    fires.at_most = FindingSeverity::kNote;
    fires.sentence = "In this profile that is below the noise of the steps.";
    fires.saving_hi = {};
  }
  return fires;
}

RuleVerdict EagerExecution(const Evidence& e) {
  if (e.framework == Framework::kJax) {
    const double per_step =
        static_cast<double>(e.Sum(NameTag::kJitExecutable).calls) / e.step_count();
    if (per_step <= e.limits[Limit::kExecutablesPerStep]) return Quiet{};
    const std::vector<StepSpan> calls = Outermost(e, e.HostSpans(NameTag::kJitExecutable));
    Fires fires;
    fires.title = fmt::format("Small executables are dispatched from Python, {}.",
                              CountedInStep(e, per_step));
    fires.sentence = "One jit around the whole step dispatches once.";
    fires.saving_hi = ExposedHost(e, calls);
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
  fires.title = fmt::format("Ops run one by one from Python: {}, {}.", CountedInStep(e, per_step),
                            OfEachStep(e, time));
  fires.sentence = "As one graph the step is dispatched once and ops run in parallel.";
  // The calls and what the thread does between them; how much of it the ops compute is unknown.
  fires.saving_hi = std::min(
      time + e.Idle(Cause::kHostOp) + e.Idle(Cause::kPython) + e.Idle(Cause::kUnknown), e.step());
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(plain);
  return fires;
}

RuleVerdict PythonGcPause(const Evidence& e) {
  std::vector<StepSpan> long_ones;
  for (const StepSpan& span : e.HostSpans(NameTag::kGarbageCollection)) {
    if (static_cast<double>(e.trace.slices.duration[span.slice].ns) >= e.limits[Limit::kGcLong])
      long_ones.push_back(span);
  }
  if (!long_ones.empty()) {
    const DurationNs exposed = ExposedHost(e, long_ones);
    Fires fires;
    fires.title = fmt::format("Python's garbage collector stops the launching thread: {}.",
                              OfEachStep(e, exposed));
    fires.sentence = fmt::format("{} collections of more than 1 ms.", long_ones.size());
    fires.saving_hi = exposed;
    fires.changes = ChangesOf(long_ones, ChangeType::kRemove);
    fires.evidence = e.Longest(long_ones);
    return fires;
  }
  // Without collection events we look for a thread that is silent for very long, but not in every
  // step.
  for (const IdleCause& row : e.report.idle_causes) {
    if (row.cause != Cause::kUnknown && row.cause != Cause::kPython) continue;
    const bool silent =
        static_cast<double>(row.longest.length.ns) >= e.limits[Limit::kSilentThread];
    // A silence as long in every second step would be something that the loop does.
    const bool often = row.total.ns >= row.longest.length.ns * (e.step_count() + 1) / 2;
    if (!silent || often) continue;
    Fires fires;
    fires.title =
        fmt::format("Possibly a garbage collection: the launching thread is silent for {}.",
                    Words(row.longest.length));
    fires.sentence = "The profile holds no collection events, so this is a guess.";
    fires.saving_hi = e.PerStep(row.longest.length);
    fires.confidence = Confidence::kLow;
    fires.at_most = FindingSeverity::kLow;
    return fires;
  }
  return Quiet{};
}

RuleVerdict CheckpointStall(const Evidence& e) {
  const std::vector<StepSpan> saves = Outermost(e, e.HostSpans(NameTag::kCheckpoint));
  const DurationNs exposed = ExposedHost(e, saves);
  if (saves.empty() || e.Share(exposed) < e.limits[Limit::kCheckpointShare]) return Quiet{};
  Fires fires;
  fires.title = fmt::format("Writing checkpoints stops training: {}.", OfEachStep(e, exposed));
  fires.sentence = "An asynchronous save still pays for the copy to the host.";
  fires.saving_hi = exposed;
  fires.changes = ChangesOf(saves, ChangeType::kRemove);
  fires.evidence = e.Longest(saves);
  return fires;
}

RuleVerdict DebugApisLeftOn(const Evidence& e) {
  const NameTotal checks = e.Sum(NameTag::kCheckNumerics);
  const NameTotal anomaly = e.Sum(NameTag::kAnomalyCheck);
  const NameTotal prints = e.Sum(NameTag::kPrintOrAssert);
  const double steps = e.step_count();
  const double launches = static_cast<double>(e.launch_calls().size());
  const double syncs = static_cast<double>(e.sync_calls().size());
  const bool blocking =
      launches >= 10 * steps && syncs >= e.limits[Limit::kSyncPerLaunch] * launches;
  const bool per_node = static_cast<double>(anomaly.calls) >= 10 * steps;
  const bool numerics = static_cast<double>(checks.calls) >= 10 * steps;
  const bool printing = e.Share(e.PerStep(prints.host)) >= 0.05;
  if (!blocking && !per_node && !numerics && !printing) return Quiet{};
  std::vector<StepSpan> spans;
  for (const NameTag tag :
       {NameTag::kCheckNumerics, NameTag::kAnomalyCheck, NameTag::kPrintOrAssert}) {
    for (const StepSpan& span : e.HostSpans(tag)) spans.push_back(span);
  }
  const AfterSync after = IdleAfterSpans(e, e.sync_calls());
  const std::vector<StepSpan> outer = Outermost(e, spans);
  Fires fires;
  fires.title =
      per_node   ? fmt::format("Anomaly detection is on: it looks for NaN {} times {}.",
                               Counted(static_cast<double>(anomaly.calls) / steps), EachStep(e))
      : numerics ? fmt::format("Numeric checks are on: CheckNumerics, {}.",
                               CountedInStep(e, static_cast<double>(checks.calls) / steps))
      : blocking
          ? fmt::format(
                "Launches block, as with CUDA_LAUNCH_BLOCKING=1: {} synchronising "
                "calls for {} launches.",
                Counted(syncs / steps), Counted(launches / steps))
          : fmt::format("Printing or asserting takes {}.", OfEachStep(e, e.PerStep(prints.host)));
  const DurationNs device = e.PerStep(checks.launched + anomaly.launched);
  const DurationNs host = UnionOf(e, outer);
  fires.sentence = "Keep such checks for one diagnostic run.";
  if (host.ns > 0) {
    fires.sentence = fmt::format(
        "Such checks cost {} on the host{} {}; keep them for a diagnostic run.", Words(host),
        device.ns > 0 ? fmt::format(" and {} on the device", Words(device)) : std::string(),
        EachStep(e));
  }
  fires.saving_hi = std::min(host + after.idle + device, e.step());
  if (per_node) {
    // It also records the Python stack of every forward op, a cost that a profile does not show
    // separately.
    fires.saving_hi = std::max(fires.saving_hi, e.step() - e.busy_time());
    fires.hi_means = "with all idle time gone, as the stacks that it keeps show nowhere";
  }
  fires.changes = ChangesOf(outer, ChangeType::kRemove);
  for (const Change& change : ChangesOf(e.sync_calls(), ChangeType::kNoWait))
    fires.changes.push_back(change);
  fires.evidence = e.Longest(outer.empty() ? e.sync_calls() : std::span<const StepSpan>(outer));
  return fires;
}

constexpr std::array kRules{
    Rule{"gpu-low-utilization", RuleGroup::kHost, "", GpuLowUtilization},
    Rule{"gpu-idle-gap-attribution", RuleGroup::kHost, "", IdleGapAttribution},
    Rule{"pyfunc-in-step", RuleGroup::kHost, "", PyFuncInStep},
    Rule{"inter-step-gap", RuleGroup::kHost, "", InterStepGap},
    Rule{"kernel-launch-bound", RuleGroup::kHost, "", KernelLaunchBound},
    Rule{"blocking-sync-calls", RuleGroup::kHost, "", BlockingSyncCalls},
    Rule{"per-step-scalar-readback", RuleGroup::kHost, "blocking-sync-calls", ScalarReadback},
    Rule{"eager-execution-overhead", RuleGroup::kHost, "", EagerExecution},
    Rule{"python-gc-pause", RuleGroup::kHost, "", PythonGcPause},
    Rule{"checkpoint-stall", RuleGroup::kHost, "", CheckpointStall},
    Rule{"debug-apis-left-on", RuleGroup::kHost, "", DebugApisLeftOn},
};

}  // namespace

std::span<const Rule> HostRules() { return kRules; }

}  // namespace stepscope
