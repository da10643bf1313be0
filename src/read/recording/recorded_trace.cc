#include "read/recording/recorded_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "read/block_writer.h"
#include "read/recording/device_spans.h"
#include "trace/event_block.h"
#include "trace/trace_builder.h"

namespace stepscope::recording {
namespace {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Outermost first.
std::vector<uint32_t> LinesOf(const RecordingFile& file, uint32_t stack) {
  std::vector<uint32_t> lines;
  for (uint32_t at = stack; at != kNoRow; at = file.stacks[at].caller) {
    lines.push_back(file.stacks[at].line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

// Fills one block: all spans of a thread are closed before the next thread begins.
class BlockFiller {
 public:
  BlockFiller(const RecordingFile& file, EventBlock& block)
      : file_(file), block_(block), out_(block) {}

  void Fill() {
    std::map<uint64_t, std::vector<uint32_t>> by_thread;
    for (uint32_t i = 0; i < file_.samples.size(); ++i) {
      by_thread[file_.samples[i].thread].push_back(i);
    }
    for (const auto& [thread, samples] : by_thread) AddThread(thread, samples);
    AddSteps();
    AddCounters();
    block_.event_count = file_.samples.size() + file_.steps.size() + file_.counters.size();
    AddDeviceSpans(file_, out_);
    block_.event_count = file_.rows;
    block_.diagnosed = file_.unusable_rows;
  }

 private:
  struct Open {
    std::string name;
    int64_t start = 0;
    uint32_t event = 0;
  };

  uint32_t AddTrack(int64_t thread, std::string_view name) {
    EventBlock::TrackKey key;
    key.process.number = file_.NumberOf("pid", 0);
    key.thread.number = thread;
    block_.tracks.push_back(key);
    const auto track = static_cast<uint32_t>(block_.tracks.size() - 1);
    block_.metadata.push_back(
        {track, EventBlock::MetadataKey::kThreadName, block_.strings.Intern(name), 0});
    return track;
  }

  void AddSpan(uint32_t track, std::string_view name, int64_t start, int64_t end, uint32_t event,
               Kind kind) {
    block_.start.push_back(start);
    block_.duration.push_back(end - start);
    block_.name.push_back(block_.strings.Intern(name));
    block_.track.push_back(track);
    block_.event.push_back(event);
    block_.args.push_back(kNoRow);
    block_.kind.push_back(kind);
    block_.flags.push_back(0);
  }

  void AddThread(uint64_t thread, const std::vector<uint32_t>& samples) {
    const uint32_t track =
        ThreadTrack(out_, file_.NumberOf("pid", 0), static_cast<int64_t>(thread));
    std::vector<Open> open;
    int64_t covered_to = 0;
    const auto close = [&](size_t depth) {
      for (; open.size() > depth; open.pop_back()) {
        const Open& span = open.back();
        AddSpan(track, span.name, span.start, covered_to, span.event, Kind::kPythonFrame);
      }
    };
    for (const uint32_t row : samples) {
      const PythonSample& sample = file_.samples[row];
      const int64_t start = std::max((sample.time - sample.weight).ns, covered_to);
      if (start > covered_to) close(0);
      const std::vector<uint32_t> lines = LinesOf(file_, sample.stack);
      size_t shared = 0;
      while (shared < lines.size() && shared < open.size() &&
             open[shared].name == NameOf(lines[shared])) {
        ++shared;
      }
      close(shared);
      for (size_t depth = shared; depth < lines.size(); ++depth) {
        open.push_back({NameOf(lines[depth]), start, row});
      }
      covered_to = sample.time.ns;
    }
    close(0);
  }

  std::string NameOf(uint32_t line) const {
    const PythonLine& at = file_.lines[line];
    return fmt::format("{}: {}", BaseName(at.file), at.function);
  }

  void AddSteps() {
    if (file_.steps.empty()) return;
    const uint32_t track = AddTrack(-1, "steps");
    for (size_t i = 0; i < file_.steps.size(); ++i) {
      const RecordedStep& step = file_.steps[i];
      AddSpan(track, fmt::format("step#{}", step.number), step.start.ns,
              (step.start + step.duration).ns, static_cast<uint32_t>(file_.samples.size() + i),
              Kind::kStep);
    }
  }

  void AddCounters() {
    if (file_.counters.empty()) return;
    const uint32_t track = AddTrack(-2, "counters");
    for (const Counter& counter : file_.counters) {
      CounterSample sample;
      sample.time = {counter.time};
      sample.value = counter.value;
      sample.name = block_.strings.Intern(file_.strings[counter.name]);
      sample.series = block_.strings.Intern(file_.strings[counter.series]);
      block_.counters.emplace_back(sample, track);
    }
  }

  const RecordingFile& file_;
  EventBlock& block_;
  BlockWriter out_;
};

RunFacts FactsOf(const RecordingFile& file) {
  RunFacts facts;
  facts.format = Format::kRecording;
  const auto text = [&](const char* key) {
    const auto found = file.facts.find(key);
    return found == file.facts.end() ? std::string() : found->second;
  };
  facts.host = text("host");
  facts.framework = text("framework");
  facts.framework_version = text("framework_version");
  if (const int64_t rank = file.NumberOf("rank", -1); rank >= 0) facts.rank = rank;
  if (const int64_t world = file.NumberOf("world_size", -1); world > 0) facts.world_size = world;
  facts.has_stacks = !file.samples.empty();
  return facts;
}

void AddCountersInSpan(const RecordingFile& file, int64_t shift, Trace& trace) {
  if (trace.processes.empty()) return;
  for (const Counter& counter : file.counters) {
    const TimeNs time{counter.time + shift};
    if (time < TimeNs{} || time > TimeNs{} + trace.span) continue;
    CounterSample sample;
    sample.time = time;
    sample.value = counter.value;
    sample.name = trace.strings.Intern(file.strings[counter.name]);
    sample.series = trace.strings.Intern(file.strings[counter.series]);
    trace.counters.push_back(sample);
  }
  for (uint32_t id = static_cast<uint32_t>(trace.traits.size()); id < trace.strings.size(); ++id) {
    trace.traits.push_back(TraitsOf(trace.strings[StringId{id}]));
  }
  std::stable_sort(trace.counters.begin(), trace.counters.end(),
                   [&](const CounterSample& a, const CounterSample& b) {
                     const auto key = [&](const CounterSample& c) {
                       return std::tuple(c.process, trace.strings[c.name], trace.strings[c.series],
                                         c.time);
                     };
                     return key(a) < key(b);
                   });
}

}  // namespace

void Attach(const RecordingFile& file, Trace& trace) {
  int64_t shift = 0;
  if (file.realtime_offset && trace.facts.start_unix_ns) {
    shift = *file.realtime_offset - *trace.facts.start_unix_ns;
  } else if (file.first_ns) {
    shift = -*file.first_ns;
  }
  Recorded& recorded = trace.recorded;
  recorded.present = true;
  recorded.pid = file.NumberOf("pid", 0);
  if (const auto found = file.facts.find("program"); found != file.facts.end()) {
    recorded.program = found->second;
  }
  if (const auto found = file.facts.find("step_source"); found != file.facts.end()) {
    recorded.step_source = found->second;
  }
  recorded.steps = file.steps;
  recorded.lines = file.lines;
  recorded.stacks = file.stacks;
  recorded.samples = file.samples;
  for (RecordedStep& step : recorded.steps) step.start = {step.start.ns + shift};
  for (PythonSample& sample : recorded.samples) sample.time = {sample.time.ns + shift};
  recorded.end = file.end;
  recorded.missing = file.missing;
  recorded.helpers = file.helpers;
  if (file.first_ns && file.last_ns) recorded.run = DurationNs{*file.last_ns - *file.first_ns};
  if (file.facts.contains("hook_cpu_ns")) {
    recorded.hook_cpu = DurationNs{file.NumberOf("hook_cpu_ns", 0)};
  }
  const RunFacts known = FactsOf(file);
  if (!trace.facts.rank) trace.facts.rank = known.rank;
  if (!trace.facts.world_size) trace.facts.world_size = known.world_size;
  if (trace.facts.host.empty()) trace.facts.host = known.host;
  if (trace.facts.framework_version.empty() && trace.facts.framework == known.framework) {
    trace.facts.framework_version = known.framework_version;
  }
  if (trace.facts.format != Format::kRecording) AddCountersInSpan(file, shift, trace);
}

Trace TraceOf(const RecordingFile& file, TaskPool& pool, Diagnostics& diagnostics) {
  EventBlock block;
  BlockFiller(file, block).Fill();
  TraceBuilder builder;
  builder.Append(std::move(block));
  const TraceBuilder::Epoch epoch{.known = file.realtime_offset.has_value(),
                                  .base_ns = file.realtime_offset.value_or(0)};
  Trace trace =
      std::move(builder).Build(FactsOf(file), DevicesOf(file), {}, epoch, pool, diagnostics);
  trace.path = file.path;
  Attach(file, trace);
  return trace;
}

}  // namespace stepscope::recording
