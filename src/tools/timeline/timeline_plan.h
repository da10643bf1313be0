#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/result.h"
#include "link/links.h"
#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

// How runs are placed in the merged timeline.
enum class AlignRuns : uint8_t {
  kEpoch,        // as they happened; needs files that know the time of day
  kStart,        // all begin together: for comparing ranks or runs
  kCollectives,  // as they happened, on one clock: offsets come from collectives
  kNone          // each as its own file has it
};

struct TimelineOptions {
  std::optional<AlignRuns>
      align;  // by default kEpoch where all files know the time, else end to end
  std::optional<DurationNs> gap;  // runs end to end with so much between them
  int64_t skip_runs = 0;          // leave out so many leading runs: warm-up
  std::optional<int64_t> first_step, last_step;
  bool dataflow = true;
  bool memory = true;
};

// More about one span than the trace holds: (key, JSON text) pairs.
using SpanDetails =
    std::function<void(uint32_t slice, std::vector<std::pair<std::string, std::string>>& out)>;

struct FlowArrow {
  TimeNs from_time, to_time;
  TrackId from_track = kNoTrack, to_track = kNoTrack;
  std::string name;
};

// One trace that goes into the timeline. Pointers stay the caller's.
struct TimelineInput {
  const Trace* trace = nullptr;
  const Links* links = nullptr;  // launches, where flows are to be made of them
  const Steps* steps = nullptr;  // as `report` finds them
  SpanDetails details;           // may be empty
  std::vector<FlowArrow> arrows;
  int64_t clock_offset_ns = 0;  // of the file's clock: see kCollectives
};

struct TimelineStep {
  std::string name;
  TimeNs start;
  DurationNs length;
};

struct TimelineRun {
  TimelineInput input;
  std::string label;
  int64_t shift_ns = 0;  // added to the trace's times
  Interval window;       // in the trace's times: what is written
  bool warmup = false;   // much longer than the runs after it
  std::vector<TimelineStep> steps;
  std::optional<Interval> host;  // where steps were chosen: when the host was in them
  std::vector<bool> chosen;      // by step of the input, where steps were chosen
  uint32_t band_lane = 0;        // runs that overlap have bands below each other
  uint32_t row_lane = 0;         // and, of the same rank and host, rows of their own
  // By track of the trace: where it went.
  std::vector<uint32_t> row_of_track;
  std::vector<int64_t> pid_of_process;

  // Whether a span is written: device work goes with the step that launched it, all else by time.
  bool Shows(uint32_t slice) const;
  bool Shows(TimeNs time) const { return time >= window.start && time <= window.end; }
};

struct TimelineProcess {
  int64_t pid = 0;
  std::string name;
  std::string labels;
  int64_t sort_index = 0;
};

struct TimelineRow {
  int64_t pid = 0;
  int64_t tid = 0;
  std::string name;
};

// What goes where: processes of the same name (the same device, thread pool, host process) are one
// process of the timeline, whatever number each file gave them. Runs of the same process that
// overlap are kept apart.
struct TimelinePlan {
  std::vector<TimelineRun> runs;
  std::vector<TimelineProcess> processes;
  std::vector<TimelineRow> rows;
  int64_t runs_pid = 0;  // the separator track's process
  uint32_t band_lanes = 1;
  std::optional<int64_t> epoch_of_zero_ns;  // time of day at timeline time 0
};

Result<TimelinePlan> PlanTimeline(std::vector<TimelineInput> inputs,
                                  const TimelineOptions& options);

}  // namespace stepscope
