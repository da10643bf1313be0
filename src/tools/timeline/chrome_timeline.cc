#include "tools/timeline/chrome_timeline.h"

#include <fmt/core.h>

#include <string>

#include "present/json_writer.h"
#include "tools/timeline/timeline_spans.h"

namespace stepscope {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

// "12.345": microseconds, exact.
std::string Micros(int64_t ns) {
  const bool negative = ns < 0;
  const uint64_t size = negative ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  std::string text = fmt::format("{}{}", negative ? "-" : "", size / 1000);
  if (size % 1000 != 0) {
    text += fmt::format(".{:03}", size % 1000);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

class Writer {
 public:
  Writer(const TimelinePlan& plan, const TimelineOptions& options, ByteSink& sink)
      : plan_(plan), options_(options), sink_(sink) {}

  Result<void> Write() {
    out_ = "{\n\"displayTimeUnit\": \"ms\",\n";
    if (plan_.epoch_of_zero_ns) {
      out_ += fmt::format("\"baseTimeNanoseconds\": {},\n", *plan_.epoch_of_zero_ns);
    }
    WriteSource();
    out_ += "\"traceEvents\": [";
    WriteNames();
    for (size_t i = 0; i < plan_.runs.size(); ++i) WriteRun(plan_.runs[i], i);
    out_ += "\n]}\n";
    Flush();
    return fault_ ? Result<void>(std::unexpected(*fault_)) : Result<void>();
  }

 private:
  // Kineto's categories stand for every framework here; what the runs were is said apart.
  void WriteSource() {
    if (plan_.runs.empty()) return;
    const RunFacts& first = plan_.runs.front().input.trace->facts;
    for (const TimelineRun& run : plan_.runs) {
      const RunFacts& facts = run.input.trace->facts;
      if (facts.format != first.format || facts.framework != first.framework) return;
    }
    if (first.framework.empty() || first.format == Format::kKineto) return;
    out_ += "\"stepscope\": ";
    JsonWriter source(out_);
    source.BeginObject();
    source.Field("framework", first.framework);
    source.Field("format", NameOf(first.format));
    source.EndObject();
    out_ += ",\n";
  }

  // Members written between Begin and End are of one event.
  JsonWriter Begin(std::string_view phase) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    JsonWriter event(out_);
    event.BeginObject();
    event.Field("ph", phase);
    return event;
  }
  void End(JsonWriter& event) {
    event.EndObject();
    if (out_.size() > kBlock) Flush();
  }
  void Flush() {
    if (!fault_) {
      if (Result<void> written = sink_.Write(out_); !written) fault_ = written.error();
    }
    out_.clear();
  }

  void Place(JsonWriter& event, int64_t pid, int64_t tid) {
    event.Field("pid", pid);
    event.Field("tid", tid);
  }
  void Time(JsonWriter& event, const TimelineRun& run, TimeNs time) {
    event.Key("ts");
    event.Raw(Micros(time.ns + run.shift_ns));
  }

  void Metadata(std::string_view what, int64_t pid, int64_t tid, std::string_view key,
                std::string_view json) {
    JsonWriter event = Begin("M");
    event.Field("name", what);
    Place(event, pid, tid);
    event.Key("args");
    event.BeginObject();
    event.Key(key);
    event.Raw(json);
    event.EndObject();
    End(event);
  }
  void Name(std::string_view what, int64_t pid, int64_t tid, std::string_view key,
            std::string_view text) {
    std::string json;
    JsonWriter(json).Value(text);
    Metadata(what, pid, tid, key, json);
  }

  void WriteNames() {
    Name("process_name", plan_.runs_pid, 0, "name", "Runs");
    Metadata("process_sort_index", plan_.runs_pid, 0, "sort_index", "-1000");
    for (int64_t lane = 0; lane < plan_.band_lanes; ++lane) {
      Name("thread_name", plan_.runs_pid, 2 * lane, "name", "Runs");
      Name("thread_name", plan_.runs_pid, 2 * lane + 1, "name", "Steps");
    }
    for (const TimelineProcess& process : plan_.processes) {
      Name("process_name", process.pid, 0, "name", process.name);
      if (!process.labels.empty()) {
        Name("process_labels", process.pid, 0, "labels", process.labels);
      }
      Metadata("process_sort_index", process.pid, 0, "sort_index",
               std::to_string(process.sort_index));
    }
    for (const TimelineRow& row : plan_.rows) {
      if (!row.name.empty()) Name("thread_name", row.pid, row.tid, "name", row.name);
    }
  }

  void WriteRun(const TimelineRun& run, size_t number) {
    WriteBand(run, number);
    const Trace& trace = *run.input.trace;
    for (size_t t = 0; t < trace.tracks.size(); ++t) {
      const TimelineRow& row = plan_.rows[run.row_of_track[t]];
      const RowRange slices = trace.tracks[t].slices;
      for (uint32_t slice = slices.first; slice < slices.last; ++slice) {
        if (run.Shows(slice)) WriteSpan(run, number, row, slice);
      }
    }
    WriteInstants(run);
    if (options_.dataflow) WriteFlows(run);
    if (options_.memory) WriteMemory(run);
    WriteCounters(run);
  }

  // One band per run on the separator track, a mark where it begins, and its steps below.
  void WriteBand(const TimelineRun& run, size_t number) {
    const std::string name =
        fmt::format("run {}: {}{}", number, run.label, run.warmup ? " (warm-up)" : "");
    JsonWriter band = Begin("X");
    band.Field("cat", "run");
    band.Field("name", name);
    Place(band, plan_.runs_pid, int64_t{2} * run.band_lane);
    Time(band, run, run.window.start);
    band.Key("dur");
    band.Raw(Micros(run.window.length().ns));
    band.Key("args");
    band.BeginObject();
    band.Field("run", number);
    band.Field("file", run.input.trace->path);
    band.Field("warmup", run.warmup);
    band.EndObject();
    End(band);
    JsonWriter mark = Begin("i");
    mark.Field("cat", "run");
    mark.Field("name", fmt::format("run {}", number));
    Place(mark, plan_.runs_pid, int64_t{2} * run.band_lane);
    Time(mark, run, run.window.start);
    mark.Field("s", "g");
    End(mark);
    for (const TimelineStep& step : run.steps) {
      JsonWriter event = Begin("X");
      event.Field("cat", "step");
      event.Field("name", step.name);
      Place(event, plan_.runs_pid, int64_t{2} * run.band_lane + 1);
      Time(event, run, step.start);
      event.Key("dur");
      event.Raw(Micros(step.length.ns));
      End(event);
    }
  }

  void WriteSpan(const TimelineRun& run, size_t number, const TimelineRow& row, uint32_t slice) {
    const Trace& trace = *run.input.trace;
    JsonWriter event = Begin("X");
    event.Field("cat", CategoryOf(trace.slices.kind[slice]));
    event.Field("name", trace.Name(slice));
    Place(event, row.pid, row.tid);
    Time(event, run, trace.slices.start[slice]);
    event.Key("dur");
    event.Raw(Micros(trace.slices.duration[slice].ns));
    event.Key("args");
    event.BeginObject();
    for (const auto& [key, json] : ArgsOf(run, slice)) {
      event.Key(key);
      event.Raw(json);
    }
    if (plan_.runs.size() > 1) event.Field("run", number);
    event.EndObject();
    End(event);
  }

  void WriteInstants(const TimelineRun& run) {
    const Trace& trace = *run.input.trace;
    for (const Instant& instant : trace.instants) {
      if (!run.Shows(instant.time) || instant.track == kNoTrack) continue;
      const TimelineRow& row = plan_.rows[run.row_of_track[Index(instant.track)]];
      JsonWriter event = Begin("i");
      event.Field("name", trace.strings[instant.name]);
      Place(event, row.pid, row.tid);
      Time(event, run, instant.time);
      event.Field("s", "t");
      End(event);
    }
  }

  void WriteFlows(const TimelineRun& run) {
    for (const FlowPoint& point : FlowsOf(run, next_flow_)) {
      const TimelineRow& row = plan_.rows[run.row_of_track[Index(point.track)]];
      const std::string_view phase = point.phase == FlowPhase::kStart  ? "s"
                                     : point.phase == FlowPhase::kStep ? "t"
                                                                       : "f";
      JsonWriter event = Begin(phase);
      event.Field("cat", "flow");
      event.Field("name", point.name);
      event.Field("id", point.id);
      Place(event, row.pid, row.tid);
      Time(event, run, point.time);
      if (point.phase == FlowPhase::kEnd) event.Field("bp", "e");
      End(event);
    }
  }

  void WriteMemory(const TimelineRun& run) {
    for (const MemorySeries& series : MemoryOf(run)) {
      for (const MemoryPoint& point : series.points) {
        JsonWriter event = Begin("C");
        event.Field("name", "memory " + series.device);
        Place(event, plan_.runs_pid, 0);
        Time(event, run, point.time);
        event.Key("args");
        event.BeginObject();
        event.Field("bytes", point.bytes);
        event.EndObject();
        End(event);
        JsonWriter live = Begin("C");
        live.Field("name", "live allocations " + series.device);
        Place(live, plan_.runs_pid, 0);
        Time(live, run, point.time);
        live.Key("args");
        live.BeginObject();
        live.Field("tensors", point.live);
        live.EndObject();
        End(live);
      }
    }
  }

  void WriteCounters(const TimelineRun& run) {
    const Trace& trace = *run.input.trace;
    for (const CounterSample& sample : trace.counters) {
      if (!run.Shows(sample.time)) continue;
      JsonWriter event = Begin("C");
      event.Field("name", trace.strings[sample.name]);
      Place(event, run.pid_of_process[Index(sample.process)], 0);
      Time(event, run, sample.time);
      event.Key("args");
      event.BeginObject();
      event.Field(trace.strings[sample.series], sample.value);
      event.EndObject();
      End(event);
    }
  }

  const TimelinePlan& plan_;
  const TimelineOptions& options_;
  ByteSink& sink_;
  std::string out_;
  std::optional<Error> fault_;
  uint64_t next_flow_ = 1;
  bool first_ = true;
};

}  // namespace

Result<void> WriteChromeTimeline(const TimelinePlan& plan, const TimelineOptions& options,
                                 ByteSink& sink) {
  return Writer(plan, options, sink).Write();
}

}  // namespace stepscope
