#include "tools/timeline/perfetto_timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "tools/timeline/perfetto_packets.h"
#include "tools/timeline/timeline_spans.h"

namespace stepscope {
namespace {

using perfetto::Packets;

// Flow ids that begin or end at each span.
struct SpanFlows {
  std::unordered_map<uint32_t, std::vector<uint64_t>> from;
  std::unordered_map<uint32_t, std::vector<uint64_t>> to;
};

class Writer {
 public:
  Writer(const TimelinePlan& plan, const TimelineOptions& options, ByteSink& sink)
      : plan_(plan), options_(options), packets_(sink) {}

  Result<void> Write() {
    ShiftToPositive();
    WriteTracks();
    for (size_t i = 0; i < plan_.runs.size(); ++i) WriteRun(plan_.runs[i], i);
    return packets_.Finish();
  }

 private:
  // Perfetto's times are unsigned.
  void ShiftToPositive() {
    int64_t first = 0;
    for (const TimelineRun& run : plan_.runs) {
      first = std::min(first, run.window.start.ns + run.shift_ns);
    }
    base_ = -first;
  }
  int64_t At(const TimelineRun& run, TimeNs time) const { return time.ns + run.shift_ns + base_; }

  uint64_t NewTrack() { return ++tracks_; }

  void WriteTracks() {
    runs_track_ = NewTrack();
    packets_.Process(runs_track_, plan_.runs_pid, "Runs", {});
    for (uint32_t lane = 0; lane < plan_.band_lanes; ++lane) {
      band_tracks_.push_back(NewTrack());
      packets_.Row(band_tracks_.back(), runs_track_, "Runs");
      step_tracks_.push_back(NewTrack());
      packets_.Row(step_tracks_.back(), runs_track_, "Steps");
    }
    for (const TimelineProcess& process : plan_.processes) {
      process_tracks_[process.pid] = NewTrack();
      packets_.Process(process_tracks_[process.pid], process.pid, process.name, process.labels);
    }
    for (const TimelineRow& row : plan_.rows) {
      row_tracks_.push_back(NewTrack());
      packets_.Row(row_tracks_.back(), process_tracks_[row.pid],
                   row.name.empty() ? fmt::format("thread {}", row.tid) : row.name);
    }
  }

  void WriteRun(const TimelineRun& run, size_t number) {
    WriteBand(run, number);
    const Trace& trace = *run.input.trace;
    SpanFlows flows;
    if (options_.dataflow) flows = BindFlows(run);
    for (size_t t = 0; t < trace.tracks.size(); ++t) {
      WriteRow(run, number, trace.tracks[t].slices, row_tracks_[run.row_of_track[t]], flows);
    }
    for (const Instant& instant : trace.instants) {
      if (instant.track == kNoTrack || !run.Shows(instant.time)) continue;
      packets_.Instant({row_tracks_[run.row_of_track[Index(instant.track)]],
                        At(run, instant.time),
                        {},
                        trace.strings[instant.name],
                        {},
                        {},
                        {}});
    }
    if (options_.memory) WriteMemory(run);
    WriteCounters(run);
  }

  void WriteBand(const TimelineRun& run, size_t number) {
    const std::string name =
        fmt::format("run {}: {}{}", number, run.label, run.warmup ? " (warm-up)" : "");
    const uint64_t bands = band_tracks_[run.band_lane];
    const uint64_t steps = step_tracks_[run.band_lane];
    packets_.Begin(
        {bands, At(run, run.window.start), "run", name, {{"file", run.input.trace->path}}, {}, {}});
    packets_.End(bands, At(run, run.window.end));
    for (const TimelineStep& step : run.steps) {
      packets_.Begin({steps, At(run, step.start), "step", step.name, {}, {}, {}});
      packets_.End(steps, At(run, step.start + step.length));
    }
  }

  // A flow's ends are times on tracks; Perfetto wants the spans they lie in.
  SpanFlows BindFlows(const TimelineRun& run) {
    SpanFlows flows;
    for (const FlowPoint& point : FlowsOf(run, next_flow_)) {
      if (point.slice == kNoRow || !run.Shows(point.slice)) continue;
      (point.phase == FlowPhase::kEnd ? flows.to : flows.from)[point.slice].push_back(point.id);
    }
    return flows;
  }

  // Begins and ends in order: rows are sorted by start and nest.
  void WriteRow(const TimelineRun& run, size_t number, RowRange range, uint64_t track,
                const SpanFlows& flows) {
    const Trace& trace = *run.input.trace;
    std::vector<int64_t> open;  // ends, innermost last
    for (uint32_t slice = range.first; slice < range.last; ++slice) {
      if (!run.Shows(slice)) continue;
      const TimeNs start = trace.slices.start[slice];
      while (!open.empty() && open.back() <= start.ns && !Contains(trace, slice, open)) {
        packets_.End(track, At(run, TimeNs{open.back()}));
        open.pop_back();
      }
      WriteBegin(run, number, slice, track, flows);
      open.push_back(trace.slices.end(slice).ns);
    }
    while (!open.empty()) {
      packets_.End(track, At(run, TimeNs{open.back()}));
      open.pop_back();
    }
  }

  // An empty span at the very end of its parent still lies in it.
  static bool Contains(const Trace& trace, uint32_t slice, const std::vector<int64_t>& open) {
    const SliceId parent = trace.slices.parent[slice];
    return parent != kNoSlice && trace.slices.duration[slice].ns == 0 &&
           trace.slices.end(Index(parent)).ns == open.back() &&
           static_cast<size_t>(trace.slices.depth[slice]) == open.size();
  }

  void WriteBegin(const TimelineRun& run, size_t number, uint32_t slice, uint64_t track,
                  const SpanFlows& flows) {
    const Trace& trace = *run.input.trace;
    const SpanArgs args = ArgsOf(run, slice);
    Packets::Slice begin;
    begin.track = track;
    begin.time = At(run, trace.slices.start[slice]);
    begin.category = CategoryOf(trace.slices.kind[slice]);
    begin.name = trace.Name(slice);
    for (const auto& [key, json] : args) begin.annotations.push_back({key, json});
    const std::string run_text = std::to_string(number);
    if (plan_.runs.size() > 1) begin.annotations.push_back({"run", run_text});
    if (const auto from = flows.from.find(slice); from != flows.from.end()) {
      begin.flows = from->second;
    }
    if (const auto to = flows.to.find(slice); to != flows.to.end()) {
      begin.ending_flows = to->second;
    }
    packets_.Begin(begin);
  }

  uint64_t CounterTrack(uint64_t parent, const std::string& name) {
    const auto [found, added] = counter_tracks_.try_emplace({parent, name}, 0);
    if (added) {
      found->second = NewTrack();
      packets_.Counter(found->second, parent, name);
    }
    return found->second;
  }

  void WriteMemory(const TimelineRun& run) {
    for (const MemorySeries& series : MemoryOf(run)) {
      const uint64_t bytes = CounterTrack(runs_track_, "memory " + series.device);
      const uint64_t live = CounterTrack(runs_track_, "live allocations " + series.device);
      for (const MemoryPoint& point : series.points) {
        packets_.Value(bytes, At(run, point.time), point.bytes);
        packets_.Value(live, At(run, point.time), point.live);
      }
    }
  }

  void WriteCounters(const TimelineRun& run) {
    const Trace& trace = *run.input.trace;
    for (const CounterSample& sample : trace.counters) {
      if (!run.Shows(sample.time)) continue;
      const uint64_t parent = process_tracks_[run.pid_of_process[Index(sample.process)]];
      std::string name(trace.strings[sample.name]);
      if (sample.series != kEmptyString && sample.series != sample.name) {
        name += fmt::format(": {}", trace.strings[sample.series]);
      }
      packets_.Value(CounterTrack(parent, name), At(run, sample.time), sample.value);
    }
  }

  const TimelinePlan& plan_;
  const TimelineOptions& options_;
  Packets packets_;
  int64_t base_ = 0;
  uint64_t tracks_ = 0;
  uint64_t runs_track_ = 0;
  std::vector<uint64_t> band_tracks_, step_tracks_;  // by lane
  std::map<int64_t, uint64_t> process_tracks_;
  std::vector<uint64_t> row_tracks_;
  std::map<std::pair<uint64_t, std::string>, uint64_t> counter_tracks_;
  uint64_t next_flow_ = 1;
};

}  // namespace

Result<void> WritePerfettoTimeline(const TimelinePlan& plan, const TimelineOptions& options,
                                   ByteSink& sink) {
  return Writer(plan, options, sink).Write();
}

}  // namespace stepscope
