#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyze/whatif/step_graph.h"
#include "base/intervals.h"
#include "link/linked_trace.h"

namespace stepscope {

enum class ChangeType : uint8_t {
  kRemove,  // the span and everything inside it takes no time; device work it launched is removed
            // as well
  kScale,   // takes `factor` times as long (device work, or the span's own host time and that of
            // what is inside)
  kScaleSelf,   // the same, but only what the span does outside of the spans inside it
  kNoWait,      // a synchronising call returns at once
  kSideStream,  // device work leaves its stream: what comes after on the stream no longer waits for
                // it
  kCutTime,     // the slice's thread does nothing in `time`, whatever it did there
};

struct Change {
  SliceId slice = kNoSlice;
  ChangeType type = ChangeType::kRemove;
  double factor = 1;
  Interval time{};  // kCutTime only
};

// Replays steps of a trace with some of their work changed and tells how long they would take. What
// is not recorded is not modelled: other ranks, contention for memory bandwidth, allocator effects.
// Building takes O(n log n) of a step's spans, a replay O(n). Thread-safe after construction.
// Keeps nothing of the linked trace, which may move: it is handed in again with each question.
class Replay {
 public:
  // `device_rows`: of DeviceRowsOf, for this step.
  Replay(const LinkedTrace& linked, uint32_t step, std::span<const uint32_t> device_rows,
         const ProfilerCost& cost);

  // Length of the step with the changes made; without changes, how well the graph explains what was
  // recorded. `cost` is the share of the profiler's estimated cost that is taken out: 0 the step as
  // recorded, 1 the step without the profiler.
  // `host_only`: as if the device took no time, from the start of the host's own step.
  DurationNs Run(const LinkedTrace& linked, const std::vector<Change>& changes, double cost,
                 bool host_only = false) const;
  DurationNs recorded() const { return graph_.step().duration; }
  DurationNs unchanged() const { return unchanged_; }    // Run without changes
  DurationNs unprofiled() const { return unprofiled_; }  // the same without the profiler
  // |unchanged - recorded| / recorded.
  double error() const;
  const StepGraph& graph() const { return graph_; }

 private:
  struct Effect {
    double scale = 1;
    bool no_wait = false;
    bool side_stream = false;
  };
  std::vector<Effect> EffectsOf(const LinkedTrace& linked,
                                const std::vector<Change>& changes) const;
  void Apply(const LinkedTrace& linked, const Change& change, std::vector<Effect>& effects) const;
  void Cut(uint32_t thread, Interval time, std::vector<Effect>& effects) const;
  // Changes the nodes of the slices [first, last).
  template <typename ChangeNode>
  void ForNodes(uint32_t first, uint32_t last, ChangeNode change_node) const;

  StepGraph graph_;
  std::vector<std::pair<uint32_t, uint32_t>> node_of_slice_;  // (slice, node), sorted
  DurationNs unchanged_{};
  DurationNs unprofiled_{};
};

// A step's length with a range around it.
struct StepEstimate {
  DurationNs median, lo, hi;
};

// What changes gain a step: of the step as it was recorded, and of the step without the profiler.
struct Gain {
  DurationNs recorded, unprofiled;
};

// Each of the two takes a replay of its own.
enum class GainOf : uint8_t { kBoth, kUnprofiledOnly };

// A replay of three used steps (p10, median, p90 of the step length).
class ReplayOfSteps {
 public:
  // Share of the recorded length beyond which nothing is promised.
  static constexpr double kTolerated = 0.05;
  // Share beyond which the graph says nothing about the step without the profiler either.
  static constexpr double kUseless = 0.30;

  explicit ReplayOfSteps(const LinkedTrace& linked);
  // Mean over the replayed steps of (unchanged replay - changed replay), never negative. Changes
  // that stand in a few steps only are replayed in those, and their gain is spread over all. None
  // when there is no step to replay or the unchanged replay is off by more than kTolerated.
  std::optional<Gain> Saving(const LinkedTrace& linked, const std::vector<Change>& changes,
                             GainOf of = GainOf::kBoth) const;
  // What a step of this recorded length takes without the profiler; none where its cost is unknown.
  std::optional<StepEstimate> Unprofiled(const LinkedTrace& linked, DurationNs recorded) const;
  bool trusted() const { return trusted_; }
  double error() const { return error_; }  // median of the replayed steps
  size_t step_count() const { return replays_.size(); }

 private:
  using Replays = std::vector<std::unique_ptr<const Replay>>;
  Replays Build(const LinkedTrace& linked, const std::vector<uint32_t>& steps) const;
  Gain DeviceGain(const LinkedTrace& linked, const std::vector<Change>& changes) const;
  Gain MeanGain(const LinkedTrace& linked, const Replays& replays,
                const std::vector<Change>& changes, GainOf of) const;

  Replays replays_;
  std::vector<uint32_t> picks_;  // the replayed steps
  ProfilerCost cost_;
  bool trusted_ = false;
  double error_ = 0;
};

}  // namespace stepscope
