#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/timeline/timeline_plan.h"

// What a span or a memory event is in the words of Chrome traces; shared by the writers.
namespace stepscope {

// "cpu_op", "kernel", …: PyTorch's categories, which every reader of Chrome traces knows.
std::string_view CategoryOf(Kind kind);

using SpanArgs = std::vector<std::pair<std::string, std::string>>;  // key, JSON text
SpanArgs ArgsOf(const TimelineRun& run, uint32_t slice);

// Arrows of a run: those of the file by id, and from a launch (or the op, where no launch is
// recorded) to the work it started.
struct FlowPoint {
  uint64_t id = 0;  // unique in the timeline
  TimeNs time;
  TrackId track = kNoTrack;
  FlowPhase phase = FlowPhase::kStart;
  std::string_view name;
  uint32_t slice = kNoRow;  // the span it lies in, on any lane of the row; kNoRow: in none
};
// Numbers the run's flows from next_id on. A start with several ends becomes an arrow to each.
std::vector<FlowPoint> FlowsOf(const TimelineRun& run, uint64_t& next_id);

// Allocated bytes and live allocations after each event, per device.
struct MemoryPoint {
  TimeNs time;
  int64_t bytes = 0;
  int64_t live = 0;
};
struct MemorySeries {
  std::string device;
  std::vector<MemoryPoint> points;
};
std::vector<MemorySeries> MemoryOf(const TimelineRun& run);

}  // namespace stepscope
