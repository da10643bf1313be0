#include "tools/tfprof/wall.h"

#include <algorithm>
#include <map>

#include "base/intervals.h"

namespace stepscope::tfprof {
namespace {

// Intervals of one row, by step; microseconds stored in the type for nanoseconds.
struct RowSets {
  std::map<int64_t, IntervalSet> accelerator;
  std::map<int64_t, IntervalSet> cpu;
};

void AddRuns(const std::vector<TimedRun>& runs, int64_t step,
             std::map<int64_t, std::vector<Interval>>& into) {
  for (const TimedRun& run : runs) {
    into[step].push_back({TimeNs{run.start}, TimeNs{run.start + run.micros}});
  }
}

class Builder {
 public:
  Builder(const Model& model, const View& view, int64_t step)
      : model_(model), view_(view), step_(step), walls_(view.nodes.size()) {}

  std::vector<WallTimes> Build() {
    // Children before parents, without recursion.
    std::vector<uint32_t> order{view_.root};
    for (size_t i = 0; i < order.size(); ++i) {
      const std::vector<uint32_t>& below = Below(order[i]);
      order.insert(order.end(), below.begin(), below.end());
    }
    std::vector<RowSets> sets(view_.nodes.size());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      RowSets& own = sets[*it];
      own = SelfOf(view_.nodes[*it]);
      for (const uint32_t child : Below(*it)) {
        Join(sets[child].accelerator, own.accelerator);
        Join(sets[child].cpu, own.cpu);
        sets[child] = {};
      }
      walls_[*it] = Measure(own);
    }
    return std::move(walls_);
  }

 private:
  // Rows that filters hide count all the same. A graph's node can be below several others; there
  // the rows shown are those it was counted for.
  const std::vector<uint32_t>& Below(uint32_t row) const {
    const bool tree = view_.kind == ViewKind::kScope || view_.kind == ViewKind::kCode;
    return tree ? view_.nodes[row].children : view_.nodes[row].shown_children;
  }

  RowSets SelfOf(const ViewNode& row) const {
    std::vector<int32_t> nodes = row.members;
    if (row.node != kNoNode && row.accounted) nodes.push_back(row.node);
    std::map<int64_t, std::vector<Interval>> accelerator;
    std::map<int64_t, std::vector<Interval>> cpu;
    for (const int32_t index : nodes) {
      for (const NodeRun& run : model_.nodes()[static_cast<size_t>(index)].runs) {
        if (step_ >= 0 && run.step != step_) continue;
        AddRuns(run.accelerator, run.step, accelerator);
        AddRuns(run.cpu, run.step, cpu);
      }
    }
    RowSets sets;
    for (auto& [step, runs] : accelerator) {
      sets.accelerator[step] = IntervalSet::Of(std::move(runs));
    }
    for (auto& [step, runs] : cpu) sets.cpu[step] = IntervalSet::Of(std::move(runs));
    return sets;
  }

  static void Join(const std::map<int64_t, IntervalSet>& from,
                   std::map<int64_t, IntervalSet>& into) {
    for (const auto& [step, set] : from) into[step] = into[step].Union(set);
  }

  WallTimes Measure(const RowSets& sets) const {
    WallTimes wall;
    std::map<int64_t, IntervalSet> both = sets.cpu;
    Join(sets.accelerator, both);
    for (const auto& [step, set] : both) wall.micros += set.length().ns;
    for (const auto& [step, set] : sets.accelerator) wall.accelerator_micros += set.length().ns;
    for (const auto& [step, set] : sets.cpu) wall.cpu_micros += set.length().ns;
    if (step_ >= 0 || model_.steps().empty()) return wall;
    const auto steps = static_cast<int64_t>(model_.steps().size());
    return {wall.micros / steps, wall.accelerator_micros / steps, wall.cpu_micros / steps};
  }

  const Model& model_;
  const View& view_;
  const int64_t step_;
  std::vector<WallTimes> walls_;
};

}  // namespace

std::vector<WallTimes> WallOf(const Model& model, const View& view, int64_t step) {
  return Builder(model, view, step).Build();
}

}  // namespace stepscope::tfprof
