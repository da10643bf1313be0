#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "link/host_steps.h"
#include "link/lanes.h"
#include "link/repetition.h"

namespace stepscope {
namespace {

// What a thread does at the top level: spans that no span of these kinds contains.
struct TopSpan {
  StringId name;
  TimeNs start;
  TimeNs end;
};

// Spans without a meaning count only in traces that have no others, and where the profile tells the
// program's own thread from those of the runtimes: there, whatever it calls is what it does.
enum class Meaning : uint8_t { kKnown, kUnknown, kProgramThread };

// The thread that runs the program, by the names TensorFlow's and JAX's profilers give threads; of
// several the one with most spans. No value in other profiles.
std::optional<LaneGroup> ProgramThread(const Trace& trace) {
  std::optional<LaneGroup> best;
  uint32_t most = 0;
  if (trace.facts.format != Format::kXPlane) return best;
  for (const LaneGroup group : LaneGroupsOf(trace)) {
    const std::string_view name = trace.strings[trace.tracks[group.first].name];
    const bool program =
        name.starts_with("python") || name.starts_with("main") || name.starts_with("MainThread");
    const uint32_t spans =
        trace.tracks[group.last - 1].slices.last - trace.tracks[group.first].slices.first;
    if (!program || spans <= most) continue;
    best = group;
    most = spans;
  }
  return best;
}

Meaning MeaningOf(const Trace& trace) {
  if (ProgramThread(trace)) return Meaning::kProgramThread;
  const auto& kinds = trace.slices.kind;
  const bool known = std::any_of(kinds.begin(), kinds.end(), [](Kind kind) {
    return kind == Kind::kOp || kind == Kind::kCall || kind == Kind::kAnnotation;
  });
  return known ? Meaning::kKnown : Meaning::kUnknown;
}

bool IsAction(const Trace& trace, Meaning meaning, uint32_t row) {
  switch (trace.slices.kind[row]) {
    case Kind::kOp:
    case Kind::kAnnotation:
    case Kind::kInput:
      return true;
    case Kind::kOther:
      return meaning != Meaning::kKnown;
    case Kind::kCall: {
      // Other calls, such as queries and allocations, are irregular.
      const NameTraits& traits = trace.Traits(row);
      return traits.launch_call || traits.copy_call || traits.sync_call;
    }
    case Kind::kPythonFrame:
    case Kind::kSync:
    case Kind::kCompile:
      return meaning == Meaning::kProgramThread;
    case Kind::kStep:
    case Kind::kModuleFrame:
    case Kind::kKernel:
    case Kind::kCollective:
    case Kind::kCopy:
    case Kind::kMemset:
    case Kind::kDeviceAnnotation:
    case Kind::kDeviceOp:
    case Kind::kAllocation:
    case Kind::kOverhead:
      return false;
  }
  std::unreachable();
}

// Names of spans that are book-keeping of a runtime between the calls of the program: short ones.
// They are irregular.
std::unordered_set<StringId> TriflesOf(const Trace& trace, Meaning meaning,
                                       const std::vector<uint32_t>& rows) {
  constexpr int64_t kTrifleNs = 2000;
  std::unordered_set<StringId> trifles;
  if (meaning != Meaning::kProgramThread) return trifles;
  std::unordered_map<StringId, std::pair<int64_t, int64_t>> time;  // sum and count
  for (const uint32_t row : rows) {
    if (trace.slices.kind[row] != Kind::kOther) continue;
    auto& [sum, count] = time[trace.slices.name[row]];
    sum += trace.slices.duration[row].ns;
    ++count;
  }
  for (const auto& [name, of_name] : time) {
    if (of_name.first < kTrifleNs * of_name.second) trifles.insert(name);
  }
  return trifles;
}

// What the program does once before and once after its loop is not part of a round.
void TrimOneOffs(std::vector<TopSpan>& spans) {
  std::unordered_map<StringId, size_t> times;
  for (const TopSpan& span : spans) ++times[span.name];
  const auto recurs = [&](const TopSpan& span) { return times[span.name] > 1; };
  spans.erase(std::find_if(spans.rbegin(), spans.rend(), recurs).base(), spans.end());
  spans.erase(spans.begin(), std::find_if(spans.begin(), spans.end(), recurs));
}

std::vector<TopSpan> TopSpansOf(const Trace& trace, Meaning meaning, LaneGroup thread) {
  const Slices& slices = trace.slices;
  const std::vector<uint32_t> rows = RowsInOrder(trace, thread);
  const std::unordered_set<StringId> trifles = TriflesOf(trace, meaning, rows);
  TimeNs last;
  for (const uint32_t row : rows) last = std::max(last, slices.end(row));
  std::vector<TopSpan> spans;
  TimeNs covered{std::numeric_limits<int64_t>::min()};
  std::unordered_map<StringId, size_t> times;
  if (meaning == Meaning::kProgramThread) {
    for (const uint32_t row : rows) ++times[slices.name[row]];
  }
  for (const uint32_t row : rows) {
    // A span over much of the thread holds the loop; what is inside matters. Unless it comes again:
    // then it is a first round that took long.
    const bool holds_all = slices.duration[row].ns / 2 * 5 > (last - slices.start[rows[0]]).ns &&
                           times[slices.name[row]] <= 2;
    if (holds_all || slices.start[row] < covered || !IsAction(trace, meaning, row) ||
        trifles.contains(slices.name[row])) {
      continue;
    }
    spans.push_back({slices.name[row], slices.start[row], slices.end(row)});
    covered = slices.end(row);
  }
  if (meaning == Meaning::kProgramThread) TrimOneOffs(spans);
  return spans;
}

// Threads that matter for the steps: those that launch device work, or run ops where there is none.
// Work handed to helpers now and then (under a twentieth) does not count.
std::vector<LaneGroup> WorkingThreads(const Trace& trace, Meaning meaning, const Links& links) {
  if (meaning == Meaning::kProgramThread) return {*ProgramThread(trace)};
  const Kind work_kind = meaning == Meaning::kKnown ? Kind::kOp : Kind::kOther;
  const std::vector<LaneGroup> groups = LaneGroupsOf(trace);
  std::vector<uint64_t> work(groups.size(), 0);
  uint64_t total = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const uint32_t first = trace.tracks[groups[g].first].slices.first;
    const uint32_t last = trace.tracks[groups[g].last - 1].slices.last;
    if (!links.calls.empty()) {
      const auto from = std::lower_bound(links.calls.begin(), links.calls.end(), SliceId{first});
      const auto to = std::lower_bound(from, links.calls.end(), SliceId{last});
      work[g] = static_cast<uint64_t>(to - from);
    } else {
      for (uint32_t row = first; row < last; ++row) {
        work[g] += trace.slices.kind[row] == work_kind ? 1 : 0;
      }
    }
    total += work[g];
  }
  std::vector<LaneGroup> threads;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (work[g] > 0 && work[g] * 20 >= total) threads.push_back(groups[g]);
  }
  return threads;
}

// A profiler that stops waits for the device; that is no part of a step.
bool IsProfilersLastSync(const Trace& trace, const TopSpan& span) {
  return trace.traits[Index(span.name)].sync_call &&
         trace.strings[span.name].find("DeviceSynchronize") != std::string_view::npos;
}

// When any of the threads was last at work before each of the spans.
std::vector<TimeNs> QuietSince(const std::vector<TopSpan>& spans, std::vector<TopSpan> all) {
  std::sort(all.begin(), all.end(), [](const TopSpan& a, const TopSpan& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  std::vector<TimeNs> since;
  size_t next = 0;
  TimeNs busy_until;
  for (const TopSpan& span : spans) {
    for (; next < all.size() && all[next].start < span.start; ++next) {
      busy_until = std::max(busy_until, all[next].end);
    }
    since.push_back(std::min(busy_until, span.start));
  }
  return since;
}

// Where in the silence before a round the step begins. What a loop does at its border leaves no
// spans; the profile itself usually starts at a border, so the time from there to the first span
// tells how much silence belongs to the start of a step. Profilers need up to kProfilerStart to
// get going. A short silence is mostly the profiler's own work at the border, two thirds of it
// before (measured on PyTorch 2.11 profiles with markers).
constexpr int64_t kProfilerStartNs = 400'000;
constexpr int64_t kShortSilenceNs = 300'000;

TimeNs BorderBefore(TimeNs start, TimeNs quiet_since, DurationNs lead) {
  const DurationNs silence = start - quiet_since;
  if (silence.ns < kShortSilenceNs) return quiet_since + DurationNs{silence.ns * 2 / 3};
  const DurationNs known{std::max<int64_t>(0, lead.ns - kProfilerStartNs)};
  return start - std::min(silence, known);
}

DurationNs MedianOf(std::vector<DurationNs> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// From the first border to the first span: as from the second one on, and half as much again where
// that is only the profiler's work, which is slower the first time.
DurationNs LeadOfFirst(Meaning meaning, const std::vector<DurationNs>& later) {
  if (later.empty()) return {};
  if (meaning == Meaning::kProgramThread) return MedianOf(later);  // no profiler works at a border
  const int64_t second = later[0].ns;
  return second < kShortSilenceNs ? DurationNs{second * 3 / 2} : MedianOf(later);
}

// From the end of the last round's work to its border: no next step begins there, so the profiler
// has but a third of its usual work to do.
DurationNs RestOfLast(Meaning meaning, DurationNs usual) {
  constexpr int64_t kProfilersOwnNs = 100'000;
  if (meaning == Meaning::kProgramThread) return usual;
  return usual.ns < kProfilersOwnNs ? DurationNs{usual.ns / 3} : usual;
}

std::vector<HostStep> StepsOf(Meaning meaning, const std::vector<TopSpan>& spans,
                              const std::vector<TimeNs>& quiet, const Repetition& rounds,
                              TimeNs activity_end) {
  std::vector<TimeNs> borders;
  std::vector<DurationNs> before_span;  // from the border to the round's first span
  std::vector<DurationNs> after_work;   // from the end of all work to the border
  const DurationNs lead = spans[rounds.borders[0]].start - TimeNs{};
  for (size_t r = 0; r < rounds.borders.size(); ++r) {
    const uint32_t first = rounds.borders[r];
    const TimeNs border = BorderBefore(spans[first].start, quiet[first], lead);
    borders.push_back(border);
    if (r == 0) continue;
    before_span.push_back(spans[first].start - border);
    after_work.push_back(border - quiet[first]);
  }
  borders[0] = spans[rounds.borders[0]].start - std::min(LeadOfFirst(meaning, before_span), lead);
  const TimeNs work_end = rounds.end < spans.size() ? quiet[rounds.end] : activity_end;
  borders.push_back(work_end + RestOfLast(meaning, MedianOf(after_work)));

  std::vector<HostStep> steps;
  for (size_t r = 0; r + 1 < borders.size(); ++r) {
    steps.push_back({.name = fmt::format("step {}", r),
                     .number = static_cast<int64_t>(r),
                     .start = borders[r],
                     .end = std::max(borders[r], borders[r + 1])});
  }
  return steps;
}

}  // namespace

HostSteps FindRepeatedSteps(const Trace& trace, const Links& links) {
  std::vector<TopSpan> all;
  std::vector<TopSpan> main;
  const Meaning meaning = MeaningOf(trace);
  for (const LaneGroup thread : WorkingThreads(trace, meaning, links)) {
    std::vector<TopSpan> spans = TopSpansOf(trace, meaning, thread);
    if (spans.empty()) continue;
    all.insert(all.end(), spans.begin(), spans.end());
    // A step begins on the thread that is the first at work.
    if (main.empty() || spans[0].start < main[0].start) main = std::move(spans);
  }
  if (main.empty()) return {};
  if (IsProfilersLastSync(trace, main.back())) main.pop_back();

  TimeNs activity_end;
  for (const TopSpan& span : main) activity_end = std::max(activity_end, span.end);
  const TimeNs last_start = main.empty() ? TimeNs{} : main.back().start;
  for (const TopSpan& span : all) {
    if (!IsProfilersLastSync(trace, span) || span.start < last_start) {
      activity_end = std::max(activity_end, span.end);
    }
  }
  const std::vector<TimeNs> quiet = QuietSince(main, std::move(all));
  std::unordered_map<StringId, uint32_t> numbers;
  std::vector<Action> actions;
  for (size_t i = 0; i < main.size(); ++i) {
    const auto number = static_cast<uint32_t>(numbers.size());
    actions.push_back(
        {numbers.emplace(main[i].name, number).first->second, main[i].start - quiet[i]});
  }
  const Repetition rounds = FindRepetition(actions);
  if (rounds.borders.empty()) return {};
  HostSteps found;
  found.source = StepSource::kRepetition;
  found.source_name = "repetition";
  found.confidence = rounds.confidence;
  found.steps = StepsOf(meaning, main, quiet, rounds, activity_end);
  return found;
}

}  // namespace stepscope
