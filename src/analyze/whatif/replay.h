#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyze/whatif/step_graph.h"
#include "base/task_pool.h"

namespace stepscope {

enum class ChangeType : uint8_t {
  kRemove,  // the span and everything inside it takes no time; device work it launched is removed
            // as well
  kScale,   // takes `factor` times as long (device work, or the span's own host time and that of
            // what is inside)
  kNoWait,  // a synchronising call returns at once
  kSideStream,  // device work leaves its stream: what comes after on the stream no longer waits for
                // it
};

struct Change {
  SliceId slice = kNoSlice;
  ChangeType type = ChangeType::kRemove;
  double factor = 1;
};

// Replays steps of a trace with some of their work changed and tells how long they would take. What
// is not recorded is not modelled: other ranks, contention for memory bandwidth, allocator effects.
// Building takes O(n log n) of a step's spans, a replay O(n). Thread-safe after construction.
class Replay {
 public:
  // `device_rows`: of DeviceRowsOf, for this step.
  Replay(const Trace& trace, const Links& links, const Steps& steps, uint32_t step,
         std::span<const uint32_t> device_rows);

  // Length of the step with the changes made; without changes, how well the graph explains what was
  // recorded.
  DurationNs Run(const std::vector<Change>& changes) const;
  DurationNs recorded() const { return graph_.step().duration; }
  DurationNs unchanged() const { return unchanged_; }  // Run without changes
  // |unchanged - recorded| / recorded.
  double error() const;
  const StepGraph& graph() const { return graph_; }

 private:
  struct Effect {
    double scale = 1;
    bool no_wait = false;
    bool side_stream = false;
  };
  std::vector<Effect> EffectsOf(const std::vector<Change>& changes) const;
  void Apply(const Change& change, std::vector<Effect>& effects) const;
  // Changes the nodes of the slices [first, last).
  template <typename ChangeNode>
  void ForNodes(uint32_t first, uint32_t last, ChangeNode change_node) const;

  const Trace& trace_;
  const Links& links_;
  StepGraph graph_;
  std::vector<std::pair<uint32_t, uint32_t>> node_of_slice_;  // (slice, node), sorted
  DurationNs unchanged_{};
};

// A replay of three used steps (p10, median, p90 of the step length). A saving is what the median
// of the three gains.
class ReplayOfSteps {
 public:
  // Share of the recorded length beyond which nothing is promised.
  static constexpr double kTolerated = 0.05;

  ReplayOfSteps(const Trace& trace, const Links& links, const Steps& steps, TaskPool& pool);
  // Median over the replayed steps of (unchanged replay - changed replay), never negative. None
  // when there is no step to replay or the unchanged replay is off by more than kTolerated.
  std::optional<DurationNs> Saving(const std::vector<Change>& changes) const;
  bool trusted() const { return trusted_; }
  double error() const { return error_; }  // median of the replayed steps
  size_t step_count() const { return replays_.size(); }

 private:
  std::vector<std::unique_ptr<const Replay>> replays_;
  bool trusted_ = false;
  double error_ = 0;
};

}  // namespace stepscope
