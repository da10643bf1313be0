#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyze/whatif/profiler_cost.h"
#include "base/ids.h"
#include "base/intervals.h"
#include "base/time.h"
#include "link/linked_trace.h"

namespace stepscope {

// One piece of work of a step that keeps one resource (a host thread or a device stream) for a
// while, with what it has to wait for. Host nodes tile their thread without holes: time in which
// nothing was recorded is a node as well.
struct WorkNode {
  TimeNs start;  // recorded
  TimeNs end;
  SliceId slice =
      kNoSlice;  // device work, or the innermost span of a host thread; kNoSlice: nothing recorded
  uint32_t resource = 0;
  uint32_t previous = kNoRow;  // the node before on the same resource: program order, stream order
  uint32_t trigger = kNoRow;   // device: the launching host node; host: what its end waits for
  // Device: start after the trigger's start. Host: end after the trigger's end.
  DurationNs trigger_lag{};
  DurationNs previous_gap{};  // device: least pause after the previous node of the stream
  uint32_t barrier = kNoRow;  // a node of another resource that has to end before this one starts
  DurationNs barrier_lag{};
  DurationNs profiler{};     // host: what recording the spans around cost
  DurationNs before_work{};  // host: the part of it after which what is launched can start
  bool device = false;
  bool fixed = false;  // work of another step: happens when it was recorded, whatever is changed
};

// By asked-for step: rows of Trace::device_args of the work that it launched, and of work of other
// steps that runs into it. One pass over the rows for all of them.
std::vector<std::vector<uint32_t>> DeviceRowsOf(const Trace& trace, const Steps& steps,
                                                std::span<const uint32_t> asked_for);

// The dependency graph of one step: program order on threads, launch to device work, stream order,
// waits of the host for the device or for another thread, and waits of one stream for another.
// Recorded sync events are used where the profile has them; otherwise a dependency is inferred
// where a piece of work starts right after another ended and nothing else explains why it waited.
// Built in O(n log n) of the step's spans; every dependency points back in recorded time.
class StepGraph {
 public:
  // `device_rows`: of DeviceRowsOf, for this step.
  StepGraph(const LinkedTrace& linked, uint32_t step, std::span<const uint32_t> device_rows,
            const ProfilerCost& cost);

  const std::vector<WorkNode>& nodes() const { return nodes_; }
  // Starts and ends in an order in which every dependency comes first: 2 * node is its start, 2 *
  // node + 1 its end.
  const std::vector<uint32_t>& order() const { return order_; }
  const Step& step() const { return step_; }
  // Nodes of a host thread, in order of time; empty where it does nothing in the step.
  RowRange NodesOf(uint32_t thread) const;
  // Nodes whose end may be the end of the step.
  const std::vector<uint32_t>& final_nodes() const { return final_nodes_; }

 private:
  void AddThreads(const LinkedTrace& linked, const ProfilerCost& cost);
  void AddThread(const LinkedTrace& linked, TrackId track, Interval time, const ProfilerCost& cost);
  void AddDeviceWork(const Trace& trace, const Steps& steps, uint32_t step,
                     std::span<const uint32_t> rows);
  void ConnectDeviceWork(const LinkedTrace& linked);
  void ConnectHostWaits(const Trace& trace);
  void ConnectHandovers(const Trace& trace);
  void ConnectToThread(const Trace& trace, uint32_t resource, uint32_t id);
  void ConnectToDevice(uint32_t id);
  void ConnectToMarkerThread(uint32_t id);
  void Order();
  // The host node that holds a slice's start on its thread, or kNoRow.
  uint32_t HostNodeAt(uint32_t resource, TimeNs time) const;

  Step step_;
  std::vector<WorkNode> nodes_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> final_nodes_;
  // By resource: a thread of LinkedTrace::threads, and its nodes.
  std::vector<std::pair<uint32_t, RowRange>> threads_;
  uint32_t marker_resource_ = kNoRow;   // the thread that runs the loop
  std::vector<uint32_t> device_nodes_;  // by recorded end
};

}  // namespace stepscope
