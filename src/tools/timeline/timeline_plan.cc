#include "tools/timeline/timeline_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

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

std::string_view MarkOf(WhyUnused why) {
  if (why == WhyUnused::kWarmup) return " (warm-up)";
  if (why == WhyUnused::kCut || why == WhyUnused::kNoDeviceWork) return " (cut off)";
  return "";
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
    PlaceLanes();
    for (TimelineRun& run : plan_.runs) MapTracks(run);
    plan_.runs_pid = pids_.Take(std::nullopt);
    return std::move(plan_);
  }

 private:
  Result<void> AddRun(TimelineInput input) {
    TimelineRun& run = plan_.runs.emplace_back();
    run.input = std::move(input);
    const Trace& trace = *run.input.trace;
    run.label = FileNameOf(trace.path);
    if (trace.facts.rank) run.label = fmt::format("rank {}: {}", *trace.facts.rank, run.label);
    run.window = {TimeNs{}, EndOf(trace)};
    if (options_.first_step || options_.last_step) return ChooseSteps(run);
    if (run.input.steps == nullptr) return {};
    for (const Step& step : run.input.steps->items) AddStep(step, run);
    return {};
  }

  static void AddStep(const Step& step, TimelineRun& run) {
    run.steps.push_back(
        {step.name + std::string(MarkOf(step.why_unused)), step.start, step.duration});
  }

  // What the host did from the first to the last of them, and the device work they launched.
  Result<void> ChooseSteps(TimelineRun& run) const {
    static const Steps kNone;
    const Steps& steps = run.input.steps == nullptr ? kNone : *run.input.steps;
    Interval host{TimeNs{INT64_MAX}, TimeNs{INT64_MIN}};
    Interval all = host;
    for (const Step& step : steps.items) {
      const bool chosen = step.number >= options_.first_step.value_or(INT64_MIN) &&
                          step.number <= options_.last_step.value_or(INT64_MAX);
      run.chosen.push_back(chosen);
      if (!chosen) continue;
      AddStep(step, run);
      const bool marked = step.marker != kNoSlice;
      const TimeNs start = marked ? step.host_start : step.start;
      const TimeNs end = marked ? step.host_start + step.host_duration : step.end();
      host = {std::min(host.start, start), std::max(host.end, end)};
      all = {std::min(all.start, std::min(start, step.start)),
             std::max(all.end, std::max(end, step.end()))};
    }
    if (run.steps.empty()) {
      const std::string& path = run.input.trace->path;
      if (steps.items.empty()) {
        return Fail(ErrorCode::kUsage, Say("timeline.no-steps"), path, Say("timeline.leave-steps"));
      }
      return Fail(ErrorCode::kUsage, Say("timeline.no-step"), path,
                  Say("timeline.has-steps", steps.items.front().number, steps.items.back().number));
    }
    run.host = host;
    run.window = all;
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
      return Fail(ErrorCode::kUsage, Say("timeline.nothing-left", options_.skip_runs, count));
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
      return Fail(ErrorCode::kUsage, Say("timeline.no-clock"), {}, Say("timeline.use-align"));
    }
    if (options_.gap || (!options_.align && !known)) {
      PlaceEndToEnd(options_.gap.value_or(kDefaultGap));
    } else if (options_.align.value_or(AlignRuns::kEpoch) == AlignRuns::kStart) {
      for (TimelineRun& run : plan_.runs) run.shift_ns = -run.window.start.ns;
    } else if (known || options_.align == AlignRuns::kCollectives) {
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
        zero = std::min(zero, EpochOf(run) + run.window.start.ns);
      }
      plan_.epoch_of_zero_ns = zero;
    }
    for (TimelineRun& run : plan_.runs) run.shift_ns = EpochOf(run) - zero;
  }

  // Of the run's first event, on the clock that all share.
  static int64_t EpochOf(const TimelineRun& run) {
    return run.input.trace->facts.start_unix_ns.value_or(0) + run.input.clock_offset_ns;
  }

  // The first lane that is free from the run's start on.
  static uint32_t LaneOf(const TimelineRun& run, std::vector<int64_t>& ends) {
    const int64_t start = run.window.start.ns + run.shift_ns;
    uint32_t lane = 0;
    while (lane < ends.size() && ends[lane] > start) ++lane;
    if (lane == ends.size()) ends.push_back(0);
    ends[lane] = run.window.end.ns + run.shift_ns;
    return lane;
  }

  // A row of a timeline holds spans that nest, and those of two runs do not.
  void PlaceLanes() {
    std::vector<TimelineRun*> by_start;
    for (TimelineRun& run : plan_.runs) by_start.push_back(&run);
    std::stable_sort(by_start.begin(), by_start.end(),
                     [](const TimelineRun* a, const TimelineRun* b) {
                       return a->window.start.ns + a->shift_ns < b->window.start.ns + b->shift_ns;
                     });
    std::vector<int64_t> bands;
    std::map<std::pair<std::string, int64_t>, std::vector<int64_t>> rows;
    for (TimelineRun* run : by_start) {
      const RunFacts& facts = run->input.trace->facts;
      run->band_lane = LaneOf(*run, bands);
      run->row_lane = LaneOf(*run, rows[{facts.host, facts.rank.value_or(-1)}]);
    }
    plan_.band_lanes = std::max<uint32_t>(1, static_cast<uint32_t>(bands.size()));
  }

  // Formats that make up their process numbers: only the name means something.
  static bool NumbersAreMadeUp(Format format) {
    return format == Format::kTensorFlowTimeline || format == Format::kRunMetadata ||
           format == Format::kXPlane;
  }

  void MapTracks(TimelineRun& run) {
    const Trace& trace = *run.input.trace;
    for (const Process& process : trace.processes) {
      run.pid_of_process.push_back(PidOf(run, process));
    }
    for (const Track& track : trace.tracks) {
      run.row_of_track.push_back(RowOf(trace, track, run.pid_of_process[Index(track.process)]));
    }
  }

  int64_t PidOf(const TimelineRun& run, const Process& process) {
    const Trace& trace = *run.input.trace;
    const std::string_view name = trace.strings[process.name];
    const std::string_view labels = trace.strings[process.labels];
    const bool by_name = NumbersAreMadeUp(trace.facts.format) && !name.empty();
    const ProcessKey key{
        trace.facts.host,    trace.facts.rank.value_or(-1),         std::string(name),
        std::string(labels), by_name ? std::string() : process.key, run.row_lane};
    const auto [found, added] = process_by_key_.try_emplace(key, 0);
    if (!added) return found->second;
    TimelineProcess& made = plan_.processes.emplace_back();
    made.pid = found->second = pids_.Take(ParseNumber(process.key));
    made.name = name.empty() ? "process " + process.key : std::string(name);
    if (trace.facts.rank) made.name = fmt::format("rank {}: {}", *trace.facts.rank, made.name);
    if (run.row_lane > 0) made.name = fmt::format("{}: {}", run.label, made.name);
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

  using ProcessKey =
      std::tuple<std::string, int64_t, std::string, std::string, std::string, uint32_t>;
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

bool TimelineRun::Shows(uint32_t slice) const {
  const Trace& trace = *input.trace;
  const TimeNs start = trace.slices.start[slice];
  if (!Shows(start)) return false;
  if (!host) return true;
  const Kind kind = trace.slices.kind[slice];
  const uint32_t row = trace.slices.args[slice];
  if (IsDeviceWork(kind) && row != kNoRow && row < input.steps->step_of_device.size()) {
    const uint32_t step = input.steps->step_of_device[row];
    if (step != kNoRow) return chosen[step];
  }
  if (IsDeviceWork(kind) || kind == Kind::kDeviceAnnotation || kind == Kind::kDeviceOp) return true;
  return start >= host->start && start < host->end;
}

Result<TimelinePlan> PlanTimeline(std::vector<TimelineInput> inputs,
                                  const TimelineOptions& options) {
  return Planner(std::move(inputs), options).Plan();
}

}  // namespace stepscope
