#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/whatif/step_graph.h"

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
  Replay(const Trace& trace, const Links& links, const Steps& steps, uint32_t step);

  // Length of the step with the changes made; without changes, how well the graph explains what was
  // recorded.
  DurationNs Run(const std::vector<Change>& changes) const;
  DurationNs recorded() const { return graph_.step().duration; }
  // |replayed - recorded| / recorded with no change.
  double error() const;
  const StepGraph& graph() const { return graph_; }

 private:
  struct Effect {
    double scale = 1;
    bool no_wait = false;
    bool side_stream = false;
  };
  std::vector<Effect> EffectsOf(const std::vector<Change>& changes) const;

  const Trace& trace_;
  const Links& links_;
  StepGraph graph_;
};

// A replay of three used steps (p10, median, p90 of the step length). A saving is what the median
// of the three gains.
class ReplayOfSteps {
 public:
  // Share of the recorded length beyond which nothing is promised.
  static constexpr double kTolerated = 0.05;

  ReplayOfSteps(const Trace& trace, const Links& links, const Steps& steps);
  // Median over the replayed steps of (unchanged replay - changed replay), never negative. None
  // when there is no step to replay or the unchanged replay is off by more than kTolerated.
  std::optional<DurationNs> Saving(const std::vector<Change>& changes) const;
  bool trusted() const { return trusted_; }
  double error() const { return error_; }  // median of the replayed steps
  const std::vector<Replay>& steps() const { return replays_; }

 private:
  std::vector<Replay> replays_;
  bool trusted_ = false;
  double error_ = 0;
};

}  // namespace stepscope
