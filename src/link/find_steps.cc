#include "link/steps.h"

#include <algorithm>
#include <span>
#include <utility>

#include "link/hand_over.h"
#include "link/host_steps.h"

namespace stepscope {
namespace {

// Lower middle; 0 of none.
int64_t MedianDuration(std::span<const Step> steps) {
  std::vector<int64_t> durations;
  for (const Step& step : steps) durations.push_back(step.duration.ns);
  if (durations.empty()) return 0;
  const auto middle = durations.begin() + static_cast<ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

// Device work and, per step, what it launched.
struct Launched {
  std::vector<uint32_t> step_of_device;  // by row of device_args
  std::vector<uint64_t> count;           // by step
  std::vector<TimeNs> first_start;       // by step; meaningless where count is 0
  std::vector<TimeNs> last_end;
  uint64_t total = 0;
};

// A call belongs to the step whose marker it lies wholly within, whatever its thread.
uint32_t StepAround(std::span<const HostStep> steps, TimeNs start, TimeNs end) {
  const auto after = std::partition_point(steps.begin(), steps.end(),
                                          [&](const HostStep& s) { return s.start <= start; });
  if (after == steps.begin()) return kNoRow;
  const auto at = std::prev(after);
  return end <= at->end ? static_cast<uint32_t>(at - steps.begin()) : kNoRow;
}

// Adds up what steps launched.
class LaunchCounter {
 public:
  LaunchCounter(const Trace& trace, size_t steps) : trace_(trace) {
    launched_.step_of_device.assign(trace.device_args.size(), kNoRow);
    launched_.count.assign(steps, 0);
    launched_.first_start.assign(steps, {});
    launched_.last_end.assign(steps, {});
  }
  void Add(uint32_t device_row, uint32_t step) {
    const uint32_t slice = trace_.device_args[device_row].slice;
    const TimeNs start = trace_.slices.start[slice];
    const TimeNs end = trace_.slices.end(slice);
    TimeNs& first = launched_.first_start[step];
    TimeNs& last = launched_.last_end[step];
    const bool is_first = launched_.count[step]++ == 0;
    launched_.step_of_device[device_row] = step;
    first = is_first ? start : std::min(first, start);
    last = is_first ? end : std::max(last, end);
    ++launched_.total;
  }
  Launched Take() && { return std::move(launched_); }

 private:
  const Trace& trace_;
  Launched launched_;
};

// Device work belongs to the step that asked for it, on whatever thread it was launched.
Launched AssignDeviceWork(const Trace& trace, const Links& links, std::span<const HostStep> steps) {
  const Slices& slices = trace.slices;
  const HandOvers hand_overs(trace);
  LaunchCounter counter(trace, steps.size());
  for (size_t c = 0; c < links.calls.size(); ++c) {
    const uint32_t call = Index(links.calls[c]);
    const TimeNs asked = hand_overs.AskedAt(call);
    const bool handed_over = asked < slices.start[call];
    const uint32_t step = StepAround(steps, asked, handed_over ? asked : slices.end(call));
    if (step == kNoRow) continue;
    for (uint32_t i = links.first[c]; i < links.first[c + 1]; ++i) {
      counter.Add(links.device_rows[i], step);
    }
  }
  return std::move(counter).Take();
}

// Steps that a device recorded hold what ran within them, whenever it was launched.
Launched AssignByTime(const Trace& trace, std::span<const HostStep> steps) {
  LaunchCounter counter(trace, steps.size());
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const uint32_t slice = trace.device_args[row].slice;
    if (slice == kNoRow || !IsDeviceWork(trace.slices.kind[slice])) continue;
    const TimeNs start = trace.slices.start[slice];
    const uint32_t step = StepAround(steps, start, trace.slices.end(slice));
    if (step != kNoRow) counter.Add(row, step);
  }
  return std::move(counter).Take();
}

// Where the first step may start at the earliest: device work of before has to be over.
TimeNs EndOfEarlierWork(const Trace& trace, const Launched& launched, TimeNs first_start) {
  TimeNs end = first_start;
  if (launched.count.empty() || launched.count[0] == 0) return end;
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    if (launched.step_of_device[row] != kNoRow) continue;
    const uint32_t slice = trace.device_args[row].slice;
    if (slice == kNoRow || !IsDeviceWork(trace.slices.kind[slice])) continue;
    if (trace.slices.end(slice) < launched.first_start[0])
      end = std::max(end, trace.slices.end(slice));
  }
  return end;
}

// Adds the device work that a step launched to the step; steps never overlap.
std::vector<Step> IntervalsOf(const Trace& trace, const Launched& launched,
                              std::span<const HostStep> host_steps) {
  std::vector<Step> steps;
  if (host_steps.empty()) return steps;
  TimeNs before = EndOfEarlierWork(trace, launched, host_steps[0].start);
  for (size_t i = 0; i < host_steps.size(); ++i) {
    const HostStep& host = host_steps[i];
    Step& step = steps.emplace_back();
    step.name = host.name;
    step.number = host.number;
    step.marker = host.marker;
    step.host_start = host.start;
    step.host_duration = host.end - host.start;
    step.start = std::max(host.start, before);
    TimeNs end = std::max(host.end, step.start);
    if (launched.count[i] > 0) end = std::max(end, launched.last_end[i]);
    step.duration = end - step.start;
    before = end;
  }
  return steps;
}

// Host spans that start within the step, where there is no device work to count.
std::vector<uint64_t> HostSpansOf(const Trace& trace, std::span<const Step> steps) {
  std::vector<uint64_t> counts(steps.size(), 0);
  const std::vector<TimeNs>& start = trace.slices.start;
  for (const Track& track : trace.tracks) {
    const auto first = start.begin() + track.slices.first;
    const auto last = start.begin() + track.slices.last;
    for (size_t i = 0; i < steps.size(); ++i) {
      const TimeNs end = steps[i].host_start + steps[i].host_duration;
      counts[i] += static_cast<uint64_t>(std::lower_bound(first, last, end) -
                                         std::lower_bound(first, last, steps[i].host_start));
    }
  }
  return counts;
}

// Steps at the end that the profile cut off: those without device work where others have some, and
// a last one with under 80 % of the work of the one before.
void MarkCutSteps(const Trace& trace, const Launched& launched, std::vector<Step>& steps) {
  const std::vector<uint64_t> counts =
      launched.total > 0 ? launched.count : HostSpansOf(trace, steps);
  size_t kept = steps.size();
  if (launched.total > 0) {
    while (kept > 0 && counts[kept - 1] == 0) steps[--kept].why_unused = WhyUnused::kNoDeviceWork;
  }
  if (kept > 1 && counts[kept - 1] * 10 < counts[kept - 2] * 8) {
    steps[kept - 1].why_unused = WhyUnused::kCut;
  }
}

// Leading steps over 1.5 times the median of those after them.
void MarkWarmup(std::vector<Step>& steps) {
  const auto unused =
      std::find_if(steps.begin(), steps.end(), [](const Step& s) { return !s.used(); });
  std::span<Step> rest(steps.begin(), unused);
  while (rest.size() > 1) {
    const int64_t median = MedianDuration(rest.subspan(1));
    if (rest[0].duration.ns <= median + median / 2) return;
    rest[0].why_unused = WhyUnused::kWarmup;
    rest = rest.subspan(1);
  }
}

void Report(const Steps& steps, Diagnostics& diagnostics) {
  if (steps.source == StepSource::kNone) diagnostics.Add(Diagnostic::kNoSteps);
  if (steps.source == StepSource::kRepetition) {
    diagnostics.Add(Diagnostic::kStepsByRepetition, steps.items.size());
  }
  for (const Step& step : steps.items) {
    switch (step.why_unused) {
      case WhyUnused::kWarmup:
        diagnostics.Add(Diagnostic::kStepWarmup, 1, std::nullopt, step.name);
        break;
      case WhyUnused::kCut:
      case WhyUnused::kNoDeviceWork:
        diagnostics.Add(Diagnostic::kStepCut, 1, std::nullopt, step.name);
        break;
      case WhyUnused::kUsed:
      case WhyUnused::kNotSelected:
        break;
    }
  }
}

// Repetition of a few spans somewhere in a long profile does not make steps of it: they have to
// cover half of the time from the first to the last op, call or piece of device work.
bool CoversTheProfile(const Trace& trace, std::span<const Step> steps) {
  const Slices& slices = trace.slices;
  TimeNs first = steps.front().start;
  TimeNs last = steps.back().end();
  const DurationNs covered = last - first;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    const Kind kind = slices.kind[row];
    if (kind != Kind::kOp && kind != Kind::kCall && kind != Kind::kAnnotation &&
        !IsDeviceWork(kind)) {
      continue;
    }
    first = std::min(first, slices.start[row]);
    last = std::max(last, slices.end(row));
  }
  return covered.ns * 2 >= (last - first).ns;
}

// Rounds of very different lengths, as in queues of requests, are not steps. A few may differ, as
// the first of a run often do.
bool LastAlike(std::span<const Step> steps) {
  constexpr size_t kFew = 4;
  if (steps.size() <= kFew) return true;
  const int64_t median = MedianDuration(steps);
  const auto alike = std::count_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.duration.ns > 0 && step.duration.ns * 2 >= median && step.duration.ns / 2 <= median;
  });
  return static_cast<size_t>(alike) * 2 >= steps.size();
}

// How many rounds there are the calls of compiled functions say; where they begin and end, all that
// the thread does says better, if it finds as many.
HostSteps FindUnmarkedSteps(const Trace& trace, const Links& links) {
  HostSteps by_calls = FindJittedSteps(trace, links);
  if (by_calls.as_run) return by_calls;
  HostSteps repeated = FindRepeatedSteps(trace, links);
  if (!by_calls.steps.empty() && by_calls.steps.size() != repeated.steps.size()) return by_calls;
  repeated.any_length = by_calls.any_length;
  return repeated;
}

}  // namespace

Steps FindSteps(const Trace& trace, const Links& links, Diagnostics& diagnostics) {
  Steps steps;
  HostSteps host = FindMarkedSteps(trace);
  if (host.steps.empty()) host = FindUnmarkedSteps(trace, links);
  if (host.steps.empty()) host = FindAnnotatedSteps(trace);
  Launched launched = host.source == StepSource::kDeviceSteps
                          ? AssignByTime(trace, host.steps)
                          : AssignDeviceWork(trace, links, host.steps);
  steps.items = IntervalsOf(trace, launched, host.steps);
  if (host.source == StepSource::kRepetition &&
      !(CoversTheProfile(trace, steps.items) && (host.any_length || LastAlike(steps.items)))) {
    host = {};
    steps.items.clear();
  }
  steps.source = host.source;
  steps.source_name = std::move(host.source_name);
  steps.confidence = host.confidence;
  if (steps.items.empty()) {
    steps.step_of_device.assign(trace.device_args.size(), kNoRow);
  } else {
    MarkCutSteps(trace, launched, steps.items);
    MarkWarmup(steps.items);
    steps.step_of_device = std::move(launched.step_of_device);
  }
  Report(steps, diagnostics);
  return steps;
}

}  // namespace stepscope
