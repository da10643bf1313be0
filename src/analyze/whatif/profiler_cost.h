#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "link/linked_trace.h"

namespace stepscope {

// What recording one event of a host thread cost the program. It is not part of the event itself:
// the profiler takes its time before the start and after the end.
struct ProfilerCost {
  DurationNs op{};     // a framework op, a region, a mark of an allocation with it
  DurationNs call{};   // a runtime or driver call
  DurationNs frame{};  // a Python frame
  DurationNs other{};  // a region of the runtime's own code
  bool known() const { return op.ns > 0; }
  DurationNs Of(Kind kind) const;
};

// The true cost lies between these shares of what is estimated, as measured on 34 programs that
// were timed with and without the profiler (docs/diagnosis.md).
inline constexpr double kLeastCost = 0.65;
inline constexpr double kMostCost = 1.35;

// From the trace itself: how long the shortest things take that a profiler records (a launch; from
// the start of an op to that of the op inside it). Unknown where the format says nothing about it.
// O(spans).
ProfilerCost ProfilerCostOf(const Trace& trace);

// What of a launch of a graph with so many nodes is the profiler's: it looks at every node before
// the first one runs, while the driver takes a fixed time.
DurationNs CostOfGraphLaunch(DurationNs launch, size_t nodes);
bool LaunchesGraph(std::string_view name);

// Code that asks for the time runs until a certain moment, however much of it is recorded.
bool AsksForTheTime(std::string_view name);

}  // namespace stepscope
