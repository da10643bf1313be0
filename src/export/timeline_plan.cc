#include "export/timeline_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

namespace stepscope {
namespace {

// A run this much longer than the median of those after it is warm-up.
constexpr double kWarmupFactor = 1.5;
constexpr DurationNs kDefaultGap{1'000'000};

std::string FileNameOf(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The number at the end of a marker's name, as in "ProfilerStep#5".
std::optional<int64_t> TrailingNumber(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  const size_t first = last == std::string_view::npos ? 0 : last + 1;
  return first == name.size() ? std::nullopt : ParseNumber(name.substr(first));
}

struct NumberedStep {
  TimelineStep step;
  int64_t number = 0;
};

std::vector<NumberedStep> StepsOf(const Trace& trace) {
  std::vector<NumberedStep> steps;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.slices.kind[row] != Kind::kStep) continue;
    const std::string_view name = trace.Name(row);
    std::optional<int64_t> number = TrailingNumber(name);
    const uint32_t args = trace.slices.args[row];
    if (!number && args != kNoRow && trace.op_args[args].sequence >= 0) {
      number = trace.op_args[args].sequence;
    }
    steps.push_back({{std::string(name), trace.slices.start[row], trace.slices.duration[row]},
                     number.value_or(static_cast<int64_t>(steps.size()))});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const NumberedStep& a, const NumberedStep& b) {
    return a.step.start < b.step.start;
  });
  return steps;
}

TimeNs EndOf(const Trace& trace) { return TimeNs{} + trace.span; }

// Gives out numbers that files asked for where they are free, else new ones.
class Numbers {
 public:
  int64_t Take(std::optional<int64_t> wanted) {
    if (wanted && *wanted >= 0 && *wanted < kFirstFree && taken_.insert(*wanted).second) {
      return *wanted;
    }
    while (!taken_.insert(next_).second) ++next_;
    return next_;
  }

 private:
  static constexpr int64_t kFirstFree = int64_t{1} << 40;
  std::set<int64_t> taken_;
  int64_t next_ = 0;
};

class Planner {
 public:
  Planner(std::vector<TimelineInput> inputs, const TimelineOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}

  Result<TimelinePlan> Plan() {
    for (TimelineInput& input : inputs_) {
      if (Result<void> added = AddRun(std::move(input)); !added) {
        return std::unexpected(std::move(added.error()));
      }
    }
    MarkWarmup();
    if (Result<void> skipped = SkipRuns(); !skipped) {
      return std::unexpected(std::move(skipped.error()));
    }
    if (Result<void> placed = Place(); !placed) return std::unexpected(std::move(placed.error()));
    for (TimelineRun& run : plan_.runs) MapTracks(run);
    plan_.runs_pid = pids_.Take(std::nullopt);
    return std::move(plan_);
  }

 private:
  Result<void> AddRun(TimelineInput input) {
    const Trace& trace = *input.trace;
    TimelineRun run;
    run.label = FileNameOf(trace.path);
    if (trace.facts.rank) run.label = fmt::format("rank {}: {}", *trace.facts.rank, run.label);
    run.window = {TimeNs{}, EndOf(trace)};
    const std::vector<NumberedStep> steps = StepsOf(trace);
    const bool choose = options_.first_step || options_.last_step;
    const int64_t first = options_.first_step.value_or(INT64_MIN);
    const int64_t last = options_.last_step.value_or(INT64_MAX);
    Interval chosen{TimeNs{INT64_MAX}, TimeNs{INT64_MIN}};
    for (const NumberedStep& each : steps) {
      if (each.number < first || each.number > last) continue;
      run.steps.push_back(each.step);
      chosen.start = std::min(chosen.start, each.step.start);
      chosen.end = std::max(chosen.end, each.step.start + each.step.length);
    }
    if (choose && run.steps.empty()) {
      return Fail(ErrorCode::kUsage, "no step of the given numbers is marked", trace.path,
                  steps.empty() ? "the profile marks no steps: leave --steps out"
                                : fmt::format("it has steps {} to {}", steps.front().number,
                                              steps.back().number));
    }
    if (choose) run.window = chosen;
    run.input = std::move(input);
    plan_.runs.push_back(std::move(run));
    return {};
  }

  void MarkWarmup() {
    for (size_t i = 0; i + 1 < plan_.runs.size(); ++i) {
      std::vector<int64_t> rest;
      for (size_t j = i + 1; j < plan_.runs.size(); ++j) {
        rest.push_back(plan_.runs[j].window.length().ns);
      }
      std::nth_element(rest.begin(), rest.begin() + static_cast<ptrdiff_t>((rest.size() - 1) / 2),
                       rest.end());
      const auto median = static_cast<double>(rest[(rest.size() - 1) / 2]);
      if (static_cast<double>(plan_.runs[i].window.length().ns) <= kWarmupFactor * median) return;
      plan_.runs[i].warmup = true;
    }
  }

  Result<void> SkipRuns() {
    const auto count = static_cast<int64_t>(plan_.runs.size());
    if (options_.skip_runs >= count && options_.skip_runs > 0) {
      return Fail(ErrorCode::kUsage, fmt::format("--skip-warmup {} leaves nothing of {} run(s)",
                                                 options_.skip_runs, count));
    }
    plan_.runs.erase(plan_.runs.begin(), plan_.runs.begin() + options_.skip_runs);
    return {};
  }

  bool AllKnowTheTime() const {
    return std::all_of(plan_.runs.begin(), plan_.runs.end(), [](const TimelineRun& run) {
      return run.input.trace->facts.start_unix_ns.has_value();
    });
  }

  Result<void> Place() {
    const bool known = AllKnowTheTime();
    if (options_.align == AlignRuns::kEpoch && !known) {
      return Fail(ErrorCode::kUsage, "not every file says at what time of day it was recorded", {},
                  "use --align start, or --gap MS to lay the runs end to end");
    }
    if (options_.gap || (!options_.align && !known)) {
      PlaceEndToEnd(options_.gap.value_or(kDefaultGap));
    } else if (options_.align.value_or(AlignRuns::kEpoch) == AlignRuns::kStart) {
      for (TimelineRun& run : plan_.runs) run.shift_ns = -run.window.start.ns;
    } else if (known) {
      PlaceByEpoch(options_.align == AlignRuns::kNone);
    }
    return {};
  }

  void PlaceEndToEnd(DurationNs gap) {
    int64_t at = 0;
    for (TimelineRun& run : plan_.runs) {
      run.shift_ns = at - run.window.start.ns;
      at += run.window.length().ns + gap.ns;
    }
  }

  // Relative to the first run, so that times stay short, unless they are to be kept.
  void PlaceByEpoch(bool absolute) {
    int64_t zero = 0;
    if (!absolute && !plan_.runs.empty()) {
      zero = INT64_MAX;
      for (const TimelineRun& run : plan_.runs) {
        zero = std::min(zero, *run.input.trace->facts.start_unix_ns + run.window.start.ns);
      }
      plan_.epoch_of_zero_ns = zero;
    }
    for (TimelineRun& run : plan_.runs) run.shift_ns = *run.input.trace->facts.start_unix_ns - zero;
  }

  // Formats that make up their process numbers: only the name means something.
  static bool NumbersAreMadeUp(Format format) {
    return format == Format::kTensorFlowTimeline || format == Format::kRunMetadata ||
           format == Format::kXPlane;
  }

  void MapTracks(TimelineRun& run) {
    const Trace& trace = *run.input.trace;
    for (const Process& process : trace.processes) {
      run.pid_of_process.push_back(PidOf(trace, process));
    }
    for (const Track& track : trace.tracks) {
      run.row_of_track.push_back(RowOf(trace, track, run.pid_of_process[Index(track.process)]));
    }
  }

  int64_t PidOf(const Trace& trace, const Process& process) {
    const std::string_view name = trace.strings[process.name];
    const std::string_view labels = trace.strings[process.labels];
    const bool by_name = NumbersAreMadeUp(trace.facts.format) && !name.empty();
    const ProcessKey key{trace.facts.host, trace.facts.rank.value_or(-1), std::string(name),
                         std::string(labels), by_name ? std::string() : process.key};
    const auto [found, added] = process_by_key_.try_emplace(key, 0);
    if (!added) return found->second;
    TimelineProcess& made = plan_.processes.emplace_back();
    made.pid = found->second = pids_.Take(ParseNumber(process.key));
    made.name = name.empty() ? "process " + process.key : std::string(name);
    if (trace.facts.rank) made.name = fmt::format("rank {}: {}", *trace.facts.rank, made.name);
    made.labels = labels;
    made.sort_index = process.sort_index;
    return made.pid;
  }

  uint32_t RowOf(const Trace& trace, const Track& track, int64_t pid) {
    const RowKey key{pid, track.key, track.lane, track.kind};
    const auto [found, added] =
        row_by_key_.try_emplace(key, static_cast<uint32_t>(plan_.rows.size()));
    if (!added) return found->second;
    const std::optional<int64_t> wanted = track.lane == 0 ? ParseNumber(track.key) : std::nullopt;
    std::string name(trace.strings[track.name]);
    if (name.empty() && track.kind == TrackKind::kStream && track.stream >= 0) {
      name = fmt::format("stream {}", track.stream);
    }
    if (track.lane > 0) {
      name = fmt::format("{} (lane {})", name.empty() ? track.key : name, track.lane + 1);
    }
    plan_.rows.push_back({pid, tids_[pid].Take(wanted), std::move(name)});
    return found->second;
  }

  using ProcessKey = std::tuple<std::string, int64_t, std::string, std::string, std::string>;
  using RowKey = std::tuple<int64_t, std::string, uint32_t, TrackKind>;
  std::vector<TimelineInput> inputs_;
  const TimelineOptions& options_;
  TimelinePlan plan_;
  Numbers pids_;
  std::map<int64_t, Numbers> tids_;
  std::map<ProcessKey, int64_t> process_by_key_;
  std::map<RowKey, uint32_t> row_by_key_;
};

}  // namespace

Result<TimelinePlan> PlanTimeline(std::vector<TimelineInput> inputs,
                                  const TimelineOptions& options) {
  return Planner(std::move(inputs), options).Plan();
}

}  // namespace stepscope
