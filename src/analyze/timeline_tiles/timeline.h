#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "analyze/timeline_tiles/counter_strip.h"
#include "analyze/timeline_tiles/lod_strip.h"
#include "base/intervals.h"
#include "base/task_pool.h"
#include "trace/trace.h"

namespace stepscope {

struct IdleGaps;

enum class LineKind : uint8_t { kTrack, kInstants, kIdle, kCounter };

// A line of the timeline. Which fields mean something depends on its kind.
struct Line {
  LineKind kind = LineKind::kTrack;
  TrackId track = kNoTrack;  // kTrack, kInstants
  ProcessId process{0};      // all but kIdle and memory counters
  int32_t device = -1;       // kIdle, memory: index into Trace::devices, or -1
  std::string name = {};     // kCounter: what is counted
  std::string series = {};   // kCounter
  bool bytes = false;        // kCounter: the unit
  uint32_t first_strip = 0;  // into the strips of its kind
  uint32_t depths = 1;
  uint64_t spans = 0;  // or samples
};

// All that the timeline of one trace draws, at every zoom. Reads the columns of the trace and of
// its idle gaps (Report::idle_gaps), which must outlive it. Built once, then safe to read from many
// threads. Costs 4 bytes per span for the order by depth on tracks where spans nest and up to 10
// for the levels.
class Timeline {
 public:
  Timeline(const Trace& trace, std::span<const IdleGaps> idle, TaskPool& pool);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  const Trace& trace() const { return trace_; }
  std::span<const Line> lines() const { return lines_; }
  const LodStrip& strip(const Line& line, uint32_t depth) const {
    return strips_[line.first_strip + depth];
  }
  const CounterStrip& counter(const Line& line) const { return counters_[line.first_strip]; }
  // Of a kIdle line.
  const IdleGaps& idle(const Line& line) const;
  const LodStrip& idle_strip(const Line& line) const { return idle_strips_[line.first_strip]; }
  size_t Bytes() const;

 private:
  void AddTracks();
  void AddInstants();
  void AddIdle();
  void AddCounters();
  void AddMemory();
  CounterStrip& AddCounterLine(Line line);
  void BuildStrips(TaskPool& pool);

  const Trace& trace_;
  std::vector<Line> lines_;
  std::vector<uint32_t> rows_;  // of spans of tracks where they nest, by (track, depth, start)
  std::vector<uint32_t> instant_rows_;  // by (track, time)
  std::vector<TimeNs> instant_time_;    // by row of Trace::instants
  std::vector<DurationNs> instant_zero_;
  std::span<const IdleGaps> idle_;
  std::vector<LodStrip> strips_;
  std::vector<LodStrip> idle_strips_;
  std::deque<CounterStrip> counters_;
};

}  // namespace stepscope
