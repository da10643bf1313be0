#include <algorithm>
#include <array>
#include <utility>

#include "advise/idle_after.h"
#include "advise/rule_tools.h"
#include "words/host.h"

// Rules for what makes the host stand still now and then, or at every op: collections, checkpoints,
// checks that were left on.
namespace stepscope {
namespace {

constexpr SayFrom<kHostTexts> Say;

RuleVerdict PythonGcPause(const Evidence& e) {
  std::vector<StepSpan> long_ones;
  for (const StepSpan& span : e.HostSpans(NameTag::kGarbageCollection)) {
    if (static_cast<double>(e.trace.slices.duration[span.slice].ns) >= e.limits[Limit::kGcLong])
      long_ones.push_back(span);
  }
  if (!long_ones.empty()) {
    const DurationNs exposed = ExposedHost(e, long_ones);
    Fires fires;
    fires.title = Say("python-gc-pause.title", OfEachStep(e, exposed));
    fires.sentence = Say("python-gc-pause.because", long_ones.size(),
                         DurationNs{static_cast<int64_t>(e.limits[Limit::kGcLong])});
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
    fires.title = Say("python-gc-pause.guess", row.longest.length);
    fires.sentence = Say("python-gc-pause.guess.because");
    fires.saving_hi = e.PerStep(row.longest.length);
    fires.confidence = Confidence::kLow;
    fires.at_most = FindingSeverity::kLow;
    return fires;
  }
  return Quiet{};
}

// Steps that copy far more to the host than the others do, and take longer: state is saved there.
// Bytes to the host, by window.
std::vector<int64_t> BytesToHost(const Evidence& e) {
  std::vector<int64_t> bytes(e.step_count(), 0);
  for (const StepSpan& span : e.With(e.copies(), NameTag::kDeviceToHost)) {
    if (OfCollective(e, span)) continue;
    bytes[span.window] += std::max<int64_t>(e.trace.DeviceOf(span.slice).bytes, 0);
  }
  return bytes;
}

// What a step that saves takes longer than the others, by such a step.
std::vector<std::pair<uint32_t, DurationNs>> SavingSteps(const Evidence& e) {
  constexpr int64_t kLeast = 1 << 20;  // a few values are no state
  const std::vector<int64_t> bytes = BytesToHost(e);
  std::vector<int64_t> sorted = bytes;
  std::sort(sorted.begin(), sorted.end());
  const int64_t usual = sorted[(sorted.size() - 1) / 2];
  std::vector<std::pair<uint32_t, DurationNs>> found;
  for (uint32_t w = 0; w < e.step_count(); ++w) {
    const DurationNs longer = e.windows()[w].time.length() - e.step();
    if (bytes[w] >= kLeast && bytes[w] >= 10 * usual && longer.ns > 0) found.push_back({w, longer});
  }
  // In every second step it would be part of the loop.
  if (found.size() * 2 > e.step_count()) found.clear();
  return found;
}

RuleVerdict CheckpointStall(const Evidence& e) {
  const std::vector<StepSpan> saves = Outermost(e, e.HostSpans(NameTag::kCheckpoint));
  const DurationNs exposed = ExposedHost(e, saves);
  Fires fires;
  fires.as_recorded = true;
  if (!saves.empty() && e.Share(exposed) >= e.limits[Limit::kCheckpointShare]) {
    fires.title = Say("checkpoint-stall.title", OfEachStep(e, exposed));
    fires.sentence = Say("checkpoint-stall.because");
    fires.saving_hi = exposed;
    fires.changes = ChangesOf(saves, ChangeType::kRemove);
    fires.evidence = e.Longest(saves);
    return fires;
  }
  const auto steps = SavingSteps(e);
  if (!e.has_device_work() || e.step_count() < 3 || steps.empty()) return Quiet{};
  DurationNs sum{};
  DurationNs least = steps.front().second;
  for (const auto& [window, longer] : steps) {
    sum += longer;
    least = std::min(least, longer);
  }
  if (e.Share(e.PerStep(sum)) < e.limits[Limit::kCheckpointShare]) return Quiet{};
  fires.title = Say("checkpoint-stall.burst", steps.size(), e.step_count(), e.PerStep(sum));
  fires.sentence = Say("checkpoint-stall.burst.because");
  const Rare rare = RareCost(e, least, sum, steps.size());
  fires.saving_hi = rare.hi;
  fires.lo_at_least = rare.lo;
  fires.confidence = Confidence::kMedium;
  for (const auto& [window, longer] : steps) {
    if (fires.evidence.size() == 3) break;
    fires.evidence.push_back({.device = {},
                              .rank = e.trace.facts.rank,
                              .step = e.linked.steps.items[e.windows()[window].step].number,
                              .start = e.windows()[window].time.start,
                              .length = e.windows()[window].time.length(),
                              .events = {}});
  }
  return fires;
}

// Ops of the forward pass that take far longer by themselves than ops that record no gradient: the
// excess, which anomaly mode spends on the Python stack of each. O(ops).
std::vector<Change> StackCaptures(const Evidence& e) {
  std::vector<StepSpan> recorded;
  std::vector<int64_t> usual;
  std::vector<int64_t> self(e.trace.slices.size(), 0);
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      self[s] += e.trace.slices.duration[s].ns;
      const SliceId parent = e.trace.slices.parent[s];
      if (parent != kNoSlice) self[Index(parent)] -= e.trace.slices.duration[s].ns;
    }
  }
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      const uint32_t args = e.trace.slices.args[s];
      if (e.trace.slices.kind[s] != Kind::kOp || args == kNoRow) continue;
      const bool differentiated = e.trace.op_args[args].sequence >= 0;
      if (differentiated && !IsUnder(e, s, NameTag::kBackward)) recorded.push_back({s, 0});
      if (!differentiated) usual.push_back(self[s]);
    }
  }
  if (usual.empty()) return {};
  const auto middle = usual.begin() + static_cast<ptrdiff_t>((usual.size() - 1) / 2);
  std::nth_element(usual.begin(), middle, usual.end());
  std::vector<Change> changes;
  for (const StepSpan& span : recorded) {
    if (self[span.slice] < 2 * *middle) continue;
    changes.push_back({.slice = SliceId{span.slice},
                       .type = ChangeType::kScaleSelf,
                       .factor = static_cast<double>(*middle) /
                                 static_cast<double>(std::max<int64_t>(self[span.slice], 1))});
  }
  return changes;
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
  // Anomaly mode looks at what each node of the backward pass returns. A program that looks at its
  // own losses does so elsewhere.
  const std::vector<StepSpan> looks = e.HostSpans(NameTag::kAnomalyCheck);
  const auto in_backward = std::count_if(looks.begin(), looks.end(), [&](const StepSpan& span) {
    return IsUnder(e, span.slice, NameTag::kBackward);
  });
  const bool per_node = static_cast<double>(in_backward) >= 10 * steps;
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
  fires.title = per_node   ? Say("debug-apis-left-on.anomaly",
                                 static_cast<double>(anomaly.calls) / steps, EachStep(e))
                : numerics ? Say("debug-apis-left-on.numerics",
                                 CountedInStep(e, static_cast<double>(checks.calls) / steps))
                : blocking
                    ? Say("debug-apis-left-on.blocking", syncs / steps, launches / steps)
                    : Say("debug-apis-left-on.prints", OfEachStep(e, e.PerStep(prints.host)));
  const DurationNs device = e.PerStep(checks.launched + anomaly.launched);
  const DurationNs host = UnionOf(e, outer);
  fires.sentence = Say("debug-apis-left-on.because");
  if (host.ns > 0) {
    fires.sentence = device.ns > 0 ? Say("debug-apis-left-on.cost-both", host, device, EachStep(e))
                                   : Say("debug-apis-left-on.cost", host, EachStep(e));
  }
  fires.saving_hi = std::min(host + after.idle + device, e.step());
  fires.changes = ChangesOf(outer, ChangeType::kRemove);
  if (per_node) {
    // It also records the Python stack of every forward op, inside of that op.
    const std::vector<Change> stacks = StackCaptures(e);
    fires.saving_hi = std::max(fires.saving_hi, e.step() - e.busy_time());
    fires.changes.insert(fires.changes.end(), stacks.begin(), stacks.end());
    fires.hi_means = Say("debug-apis-left-on.hi");
  }
  for (const Change& change : ChangesOf(e.sync_calls(), ChangeType::kNoWait))
    fires.changes.push_back(change);
  fires.evidence = e.Longest(outer.empty() ? e.sync_calls() : std::span<const StepSpan>(outer));
  return fires;
}

// Launches wait because the GPU has not worked off what it was given. The time that the GPU spends
// working meanwhile is not lost; the rest is.
RuleVerdict LaunchQueueFull(const Evidence& e) {
  const std::vector<StepSpan> waits = e.HostSpans(NameTag::kLaunchQueueFull);
  const DurationNs time = UnionOf(e, waits);
  if (waits.empty() || e.Share(time) < e.limits[Limit::kLaunchQueueFull]) return Quiet{};
  const DurationNs exposed = ExposedHost(e, waits);
  Fires fires;
  fires.title = Say("launch-queue-full.title", OfEachStep(e, time));
  // Several processes wait at the same time: the title has the time that passes, this what the
  // driver's records add up to.
  DurationNs sum;
  for (const StepSpan& wait : waits) sum += e.trace.slices.duration[wait.slice];
  fires.sentence = Say("launch-queue-full.because", uint64_t{waits.size()}, sum);
  if (e.Share(exposed) < e.limits[Limit::kLaunchQueueFull]) {
    fires.gate = true;
    fires.at_most = FindingSeverity::kNote;
    fires.sentence += Say("launch-queue-full.device-bound");
  } else {
    fires.saving_hi = exposed;
    fires.changes = ChangesOf(waits, ChangeType::kRemove);
    fires.sentence += Say("launch-queue-full.exposed", exposed, EachStep(e));
  }
  fires.evidence = e.Longest(waits);
  return fires;
}

constexpr std::array kRules{
    Rule{"python-gc-pause", RuleGroup::kHost, "", PythonGcPause},
    Rule{"checkpoint-stall", RuleGroup::kHost, "step-time-outliers", CheckpointStall},
    Rule{"debug-apis-left-on", RuleGroup::kHost, "", DebugApisLeftOn},
    Rule{"launch-queue-full", RuleGroup::kHost, "", LaunchQueueFull},
};

}  // namespace

std::span<const Rule> StallRules() { return kRules; }

}  // namespace stepscope
