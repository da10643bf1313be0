#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "link/host_steps.h"
#include "link/lanes.h"

namespace stepscope {
namespace {

// "train_step 12" is ("train_step", 12).
struct Family {
  std::string_view stem;
  std::optional<int64_t> number;
};

Family FamilyOf(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kSeparators = "#_ -:=";
  constexpr size_t kMostDigits = 18;
  const size_t digits = name.size() - (name.find_last_not_of(kDigits) + 1);
  const std::string_view stem = name.substr(0, name.size() - digits);
  if (digits == 0 || digits > kMostDigits || stem.empty() ||
      kSeparators.find(stem.back()) == std::string_view::npos) {
    return {name, std::nullopt};
  }
  int64_t number = 0;
  std::from_chars(name.data() + stem.size(), name.data() + name.size(), number);
  const size_t last = stem.find_last_not_of(kSeparators);
  return {stem.substr(0, last == std::string_view::npos ? stem.size() : last + 1), number};
}

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Steps from one thread's markers, in order of start; those inside another are left out.
std::vector<HostStep> StepsOf(const Trace& trace, const std::vector<uint32_t>& rows) {
  const Slices& slices = trace.slices;
  std::vector<HostStep> steps;
  for (const uint32_t row : rows) {
    if (!steps.empty() && slices.end(row) <= steps.back().end) continue;
    HostStep& step = steps.emplace_back();
    step.name = trace.Name(row);
    step.marker = SliceId{row};
    step.start = slices.start[row];
    step.end = slices.end(row);
    const auto ordinal = static_cast<int64_t>(steps.size()) - 1;
    const int64_t recorded =
        slices.args[row] == kNoRow ? -1 : trace.op_args[slices.args[row]].sequence;
    step.number = FamilyOf(step.name).number.value_or(recorded >= 0 ? recorded : ordinal);
  }
  return steps;
}

std::vector<int64_t> PeriodsOf(const std::vector<HostStep>& steps) {
  std::vector<int64_t> periods;
  for (size_t i = 1; i < steps.size(); ++i) {
    periods.push_back((steps[i].start - steps[i - 1].start).ns);
  }
  return periods;
}

// A marker that covers under half of its period says when a step starts, not how long it lasts.
void StretchShortMarkers(const Trace& trace, LaneGroup thread, std::vector<HostStep>& steps) {
  if (steps.size() < 2) return;
  std::vector<int64_t> lengths;
  for (const HostStep& step : steps) lengths.push_back((step.end - step.start).ns);
  const int64_t period = Median(PeriodsOf(steps));
  if (Median(std::move(lengths)) * 2 >= period) return;
  for (size_t i = 1; i < steps.size(); ++i) steps[i - 1].end = steps[i].start;
  TimeNs thread_end;
  for (uint32_t t = thread.first; t < thread.last; ++t) {
    const RowRange range = trace.tracks[t].slices;
    for (uint32_t row = range.first; row < range.last; ++row) {
      thread_end = std::max(thread_end, trace.slices.end(row));
    }
  }
  HostStep& last = steps.back();
  last.end = std::max(last.end, std::min(thread_end, last.start + DurationNs{period}));
}

std::pair<StepSource, std::string> SourceOf(const Trace& trace, uint32_t marker) {
  if (trace.facts.format == Format::kRunMetadata || trace.facts.format == Format::kOnnxRuntime ||
      trace.facts.format == Format::kTensorFlowTimeline) {
    return {StepSource::kSessionRun, "session.run"};
  }
  if (trace.facts.format == Format::kRecording) {
    return {StepSource::kStepTraceAnnotation, "stepscope record"};
  }
  if (trace.Traits(marker).step_marker) return {StepSource::kProfilerStep, "ProfilerStep"};
  if (trace.facts.framework == "TensorFlow") {
    return {StepSource::kTfProfilerTrace, "tf.profiler Trace"};
  }
  return {StepSource::kStepTraceAnnotation, "StepTraceAnnotation"};
}

// Rows of the thread's slices that are wanted, in order of start.
template <typename Wanted>
std::vector<uint32_t> RowsOf(const Trace& trace, LaneGroup thread, Wanted wanted) {
  std::vector<uint32_t> rows;
  for (uint32_t t = thread.first; t < thread.last; ++t) {
    const RowRange range = trace.tracks[t].slices;
    for (uint32_t row = range.first; row < range.last; ++row) {
      if (wanted(row)) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    const Slices& slices = trace.slices;
    if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
    return slices.duration[a] != slices.duration[b] ? slices.duration[a] > slices.duration[b]
                                                    : a < b;
  });
  return rows;
}

bool IsMarker(const Trace& trace, uint32_t row) {
  const Kind kind = trace.slices.kind[row];
  return kind == Kind::kStep || (kind == Kind::kAnnotation && trace.Traits(row).step_marker);
}

// The thread with the most markers; of equals the one whose markers cover most.
HostSteps FromMarkers(const Trace& trace) {
  HostSteps best;
  int64_t best_cover = 0;
  bool best_is_profiler = false;
  for (const LaneGroup thread : LaneGroupsOf(trace)) {
    const auto rows = RowsOf(trace, thread, [&](uint32_t row) { return IsMarker(trace, row); });
    if (rows.empty()) continue;
    std::vector<HostStep> steps = StepsOf(trace, rows);
    int64_t cover = 0;
    for (const HostStep& step : steps) cover += (step.end - step.start).ns;
    const bool is_profiler = trace.Traits(rows[0]).step_marker;
    if (std::tuple(is_profiler, steps.size(), cover) <=
        std::tuple(best_is_profiler, best.steps.size(), best_cover)) {
      continue;
    }
    std::tie(best.source, best.source_name) = SourceOf(trace, rows[0]);
    // A run of a session was traced from its first op to its last; nothing is known of the time to
    // the next one.
    if (best.source != StepSource::kSessionRun) StretchShortMarkers(trace, thread, steps);
    best.steps = std::move(steps);
    best_cover = cover;
    best_is_profiler = is_profiler;
  }
  return best;
}

// Annotations that belong to a part of a step by their nature are no markers.
bool MayMarkSteps(const Trace& trace, uint32_t row) {
  if (trace.slices.kind[row] != Kind::kAnnotation) return false;
  const NameTraits& traits = trace.Traits(row);
  return !traits.input_stage && !traits.optimizer && !traits.communication && !traits.backward &&
         !traits.compile;
}

bool NumbersRise(const std::vector<HostStep>& steps) {
  return std::adjacent_find(steps.begin(), steps.end(), [](const HostStep& a, const HostStep& b) {
           return a.number >= b.number;
         }) == steps.end();
}

bool Overlap(const std::vector<HostStep>& steps) {
  return std::adjacent_find(steps.begin(), steps.end(), [](const HostStep& a, const HostStep& b) {
           return b.start < a.end;
         }) != steps.end();
}

// How much of the profile a family of annotations marks as steps, 0 when it does not look like
// steps: numbered ones need to count up, others to fill most of their period.
int64_t CoverAsSteps(const Trace& trace, const std::vector<HostStep>& steps, bool numbered) {
  constexpr size_t kFewest = 3;
  if (steps.size() < kFewest || Overlap(steps) || (numbered && !NumbersRise(steps))) return 0;
  // What comes before the first may be preparation; after it, half has to be steps.
  const int64_t whole = (steps.back().end - steps.front().start).ns;
  if (whole * 2 < trace.span.ns - steps.front().start.ns) return 0;
  int64_t filled = 0;
  for (const HostStep& step : steps) filled += (step.end - step.start).ns;
  constexpr int64_t kFilledPercent = 60;
  if (!numbered && filled * 100 < whole * kFilledPercent) return 0;
  return filled;
}

// Annotations that count up are steps; others may be a part of one.
enum class Numbers : uint8_t { kNeeded, kNotNeeded };

HostSteps FromAnnotations(const Trace& trace, Numbers numbers) {
  HostSteps best;
  int64_t best_cover = 0;
  bool best_numbered = false;
  for (const LaneGroup thread : LaneGroupsOf(trace)) {
    const auto rows = RowsOf(trace, thread, [&](uint32_t r) { return MayMarkSteps(trace, r); });
    std::map<std::pair<std::string_view, bool>, std::vector<uint32_t>> families;
    for (const uint32_t row : rows) {
      const Family family = FamilyOf(trace.Name(row));
      families[{family.stem, family.number.has_value()}].push_back(row);
    }
    for (const auto& [key, members] : families) {
      const bool numbered = key.second;
      if (!numbered && numbers == Numbers::kNeeded) continue;
      std::vector<HostStep> steps = StepsOf(trace, members);
      if (steps.size() != members.size()) continue;  // nests in itself
      const int64_t cover = CoverAsSteps(trace, steps, numbered);
      if (cover == 0 || std::pair(numbered, cover) <= std::pair(best_numbered, best_cover))
        continue;
      StretchShortMarkers(trace, thread, steps);
      best.source = StepSource::kAnnotation;
      best.source_name = fmt::format("annotation {}", key.first);
      best.steps = std::move(steps);
      best_cover = cover;
      best_numbered = numbered;
    }
  }
  return best;
}

}  // namespace

std::optional<int64_t> NumberOfName(std::string_view name) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool all_digits = error == std::errc() && end == name.data() + name.size();
  return all_digits ? std::optional(number) : FamilyOf(name).number;
}

HostSteps FindMarkedSteps(const Trace& trace) {
  HostSteps found = FromMarkers(trace);
  // Calls of a function are annotations in TensorFlow's and JAX's profiles; what repeats around
  // them on the program's own thread says more exactly where a step begins.
  const Numbers numbers =
      trace.facts.format == Format::kXPlane ? Numbers::kNeeded : Numbers::kNotNeeded;
  if (found.steps.empty()) found = FromAnnotations(trace, numbers);
  if (found.steps.empty()) found = FindDeviceSteps(trace);
  return found;
}

HostSteps FindAnnotatedSteps(const Trace& trace) {
  return FromAnnotations(trace, Numbers::kNotNeeded);
}

}  // namespace stepscope
