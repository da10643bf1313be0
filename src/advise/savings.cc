#include "advise/savings.h"

#include <algorithm>
#include <cmath>

#include "advise/forecast.h"

namespace stepscope {
namespace {

// Where between lo and hi a saving likely is: the less is known of the cause, the nearer to lo.
double LeanOf(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return 0.5;
    case Confidence::kMedium:
      return 0.35;
    case Confidence::kLow:
      return 0.15;
  }
  return 0;
}

DurationNs Scaled(DurationNs duration, double factor) {
  return {std::llround(static_cast<double>(duration.ns) * factor)};
}

// Recording costs this much more or less than thought.
constexpr double kCostUnknown = 0.35;

// What a change gains where recording cost less than thought. Work of many small calls is recorded
// at a greater price than the rest of the step, and is the less well known.
DurationNs AtLessCost(const Gain& gain) {
  return gain.unprofiled +
         Scaled(std::max(gain.recorded - gain.unprofiled, DurationNs{}), kCostUnknown);
}

double Ratio(DurationNs part, DurationNs whole) {
  return whole.ns == 0 ? 1 : static_cast<double>(part.ns) / static_cast<double>(whole.ns);
}

bool InUsedStep(const Evidence& e, uint32_t slice) {
  const TimeNs start = e.trace.slices.start[slice];
  const auto windows = e.windows();
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), start,
                       [](TimeNs time, const Window& window) { return time < window.host.start; });
  return after != windows.begin() && start < (after - 1)->time.end;
}

// Device time that the change takes away, of one slice.
DurationNs DeviceTimeOf(const Evidence& e, const Change& change) {
  const double gone = change.type == ChangeType::kRemove  ? 1
                      : change.type == ChangeType::kScale ? 1 - change.factor
                                                          : 0;
  const uint32_t slice = Index(change.slice);
  if (gone <= 0) return {};
  if (IsDeviceWork(e.trace.slices.kind[slice])) {
    return Scaled(e.trace.slices.duration[slice], gone);
  }
  if (change.type != ChangeType::kRemove) return {};
  const Links& links = e.linked.links;
  const TimeNs end = e.trace.slices.end(slice);
  DurationNs sum{};
  const auto begin = std::lower_bound(links.calls.begin(), links.calls.end(), SliceId{slice});
  for (auto at = begin; at != links.calls.end(); ++at) {
    if (e.trace.TrackOf(Index(*at)) != e.trace.TrackOf(slice)) break;
    if (e.trace.slices.start[Index(*at)] >= end) break;
    const auto call = static_cast<size_t>(at - links.calls.begin());
    for (uint32_t i = links.first[call]; i < links.first[call + 1]; ++i) {
      sum += e.trace.slices.duration[e.trace.device_args[links.device_rows[i]].slice];
    }
  }
  return sum;
}

// Device work of a step that is still there after the change.
DurationNs DeviceWorkLeft(const Evidence& e, const Fires& fires) {
  const auto goes = [&](const std::vector<Change>& changes) {
    DurationNs sum{};
    for (const Change& change : changes) {
      if (change.slice != kNoSlice && InUsedStep(e, Index(change.slice))) {
        sum += DeviceTimeOf(e, change);
      }
    }
    return e.PerStep(sum);
  };
  const DurationNs gone =
      fires.device_goes + std::max(goes(fires.changes), goes(fires.changes_most));
  return std::max(e.busy_time() - gone, DurationNs{});
}

// Device time that rules count is the program's own; host time shrinks with the profiler.
DurationNs InRealTime(const Evidence& e, DurationNs recorded) {
  if (e.step().ns == 0) return recorded;
  return Scaled(recorded, static_cast<double>(e.real_step().ns) / static_cast<double>(e.step().ns));
}

// Outliers make the mean longer than the median; beyond both nothing can be gained. Where the
// profiler does not stretch what makes them long, it stretches the usual step only.
DurationNs LongestStep(const Evidence& e, const Fires& fires) {
  DurationNs whole{};
  for (const Window& window : e.windows()) whole += window.time.length();
  const DurationNs mean = e.PerStep(whole);
  if (mean <= e.step()) return std::max(e.real_step(), InRealTime(e, mean));
  return fires.as_recorded ? e.real_step() + (mean - e.step()) : InRealTime(e, mean);
}

}  // namespace

bool OnlyDevice(const Evidence& e, std::span<const Change> changes) {
  return !changes.empty() && std::all_of(changes.begin(), changes.end(), [&](const Change& change) {
    return change.slice != kNoSlice && IsDeviceWork(e.trace.slices.kind[Index(change.slice)]);
  });
}

Saving SavingOf(const Evidence& e, const Fires& fires) {
  if (fires.gate) return {};
  const bool device = OnlyDevice(e, fires.changes);
  const bool own = device || fires.as_recorded;
  const auto real = [&](DurationNs recorded) { return own ? recorded : InRealTime(e, recorded); };
  Saving saving{.hi = real(fires.saving_hi)};
  const ReplayOfSteps& replay = *e.report.replay;
  std::optional<Gain> gain;
  DurationNs at_less_cost{};
  if (!fires.changes.empty()) gain = replay.Saving(e.linked, fires.changes);
  if (gain) {
    saving.replayed = true;
    // The replay tells how much of the recorded time is the program's own. It changes more than the
    // rule speaks of where it gains more.
    const DurationNs rest = std::max(fires.saving_hi - gain->recorded, DurationNs{});
    saving.hi = rest.ns > 0 ? gain->unprofiled + real(rest)
                            : Scaled(fires.saving_hi, Ratio(gain->unprofiled, gain->recorded));
    saving.lo = std::min(gain->unprofiled, saving.hi);
    at_less_cost = AtLessCost({.recorded = std::min(gain->recorded, fires.saving_hi),
                               .unprofiled = std::min(gain->unprofiled, saving.hi)});
  }
  if (!fires.changes_most.empty()) {
    if (const std::optional<Gain> most = replay.Saving(e.linked, fires.changes_most)) {
      saving.hi = std::max(most->unprofiled, saving.lo);
      at_less_cost = std::max(at_less_cost, AtLessCost(*most));
    }
  }
  // The cost of the profiler is known to a certain degree only, and with it the program's own time.
  if (!own) {
    const StepStatistics& steps = e.report.step_statistics;
    if (steps.unprofiled_lo)
      saving.lo = Scaled(saving.lo, Ratio(*steps.unprofiled_lo, e.real_step()));
    if (steps.unprofiled_hi)
      saving.hi = Scaled(saving.hi, Ratio(*steps.unprofiled_hi, e.real_step()));
    saving.hi = std::max(saving.hi, at_less_cost);
  }
  if (fires.lo_at_most) saving.lo = std::min(saving.lo, *fires.lo_at_most);
  if (fires.lo_at_least) saving.lo = std::max(saving.lo, *fires.lo_at_least);
  const DurationNs longest = LongestStep(e, fires);
  const DurationNs gives = std::max(longest - DeviceWorkLeft(e, fires), DurationNs{});
  const DurationNs most = device || fires.as_recorded ? longest : gives;
  saving.hi = std::clamp(saving.hi, DurationNs{}, most);
  saving.lo = std::clamp(saving.lo, DurationNs{}, saving.hi);
  saving.likely = saving.lo + Scaled(saving.hi - saving.lo, LeanOf(fires.confidence));
  saving.replay_lo = saving.lo;
  saving.replay_hi = saving.hi;
  // A finding that says what something costs does not promise more than that.
  const DurationNs limit = std::max(std::min(gives, fires.saving_hi), saving.hi);
  if (e.has_steps()) Widen(e.real_step(), limit, saving);
  return saving;
}

DurationNs ReplayedGain(const Evidence& e, const std::vector<Change>& changes) {
  if (changes.empty()) return {};
  const std::optional<Gain> gain =
      e.report.replay->Saving(e.linked, changes, GainOf::kUnprofiledOnly);
  return gain ? gain->unprofiled : DurationNs{};
}

}  // namespace stepscope
