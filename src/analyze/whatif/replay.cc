#include "analyze/whatif/replay.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stepscope {
namespace {

// The cost of a call that no longer waits for anything.
constexpr DurationNs kCallCost{2'000};

DurationNs Scaled(DurationNs duration, double factor) {
  return {std::llround(static_cast<double>(duration.ns) * factor)};
}

// One past the last row of the subtree of a slice: rows of a lane follow their parent.
uint32_t SubtreeEnd(const Trace& trace, uint32_t slice) {
  const RowRange rows = trace.tracks[Index(trace.TrackOf(slice))].slices;
  uint32_t end = slice + 1;
  while (end < rows.last && trace.slices.depth[end] > trace.slices.depth[slice]) ++end;
  return end;
}

}  // namespace

Replay::Replay(const Trace& trace, const Links& links, const Steps& steps, uint32_t step,
               std::span<const uint32_t> device_rows)
    : trace_(trace), links_(links), graph_(trace, links, steps, step, device_rows) {
  for (uint32_t id = 0; id < graph_.nodes().size(); ++id) {
    const SliceId slice = graph_.nodes()[id].slice;
    if (slice != kNoSlice) node_of_slice_.emplace_back(Index(slice), id);
  }
  std::sort(node_of_slice_.begin(), node_of_slice_.end());
  unchanged_ = Run({});
}

template <typename ChangeNode>
void Replay::ForNodes(uint32_t first, uint32_t last, ChangeNode change_node) const {
  auto at = std::lower_bound(node_of_slice_.begin(), node_of_slice_.end(), std::pair(first, 0U));
  for (; at != node_of_slice_.end() && at->first < last; ++at) change_node(at->second);
}

void Replay::Apply(const Change& change, std::vector<Effect>& effects) const {
  const uint32_t slice = Index(change.slice);
  const bool device = IsDeviceWork(trace_.slices.kind[slice]);
  switch (change.type) {
    case ChangeType::kNoWait:
      ForNodes(slice, slice + 1, [&](uint32_t id) { effects[id].no_wait = true; });
      return;
    case ChangeType::kSideStream:
      ForNodes(slice, slice + 1, [&](uint32_t id) { effects[id].side_stream = true; });
      return;
    case ChangeType::kScale:
    case ChangeType::kRemove:
      break;
  }
  const double factor = change.type == ChangeType::kRemove ? 0 : change.factor;
  const uint32_t end = device ? slice + 1 : SubtreeEnd(trace_, slice);
  ForNodes(slice, end, [&](uint32_t id) { effects[id].scale *= factor; });
  if (change.type == ChangeType::kScale || device) return;
  // A call that is not made launches nothing.
  const auto begin = std::lower_bound(links_.calls.begin(), links_.calls.end(), SliceId{slice});
  for (auto at = begin; at != links_.calls.end() && Index(*at) < end; ++at) {
    const auto call = static_cast<size_t>(at - links_.calls.begin());
    for (uint32_t i = links_.first[call]; i < links_.first[call + 1]; ++i) {
      const uint32_t launched = trace_.device_args[links_.device_rows[i]].slice;
      ForNodes(launched, launched + 1, [&](uint32_t id) { effects[id].scale = 0; });
    }
  }
}

std::vector<Replay::Effect> Replay::EffectsOf(const std::vector<Change>& changes) const {
  std::vector<Effect> effects(graph_.nodes().size());
  // Rules name what they would change in every step; only this one is replayed.
  const Step& step = graph_.step();
  for (const Change& change : changes) {
    const TimeNs start = trace_.slices.start[Index(change.slice)];
    if (start >= step.host_start && start < step.end()) Apply(change, effects);
  }
  return effects;
}

DurationNs Replay::Run(const std::vector<Change>& changes) const {
  const std::vector<WorkNode>& nodes = graph_.nodes();
  const std::vector<Effect> effects = EffectsOf(changes);
  std::vector<TimeNs> start(nodes.size());
  std::vector<TimeNs> end(nodes.size());
  std::vector<TimeNs> resource_free(nodes.size());  // when the next node of the resource may start

  for (const uint32_t event : graph_.order()) {
    const uint32_t id = event / 2;
    const WorkNode& node = nodes[id];
    const Effect& effect = effects[id];
    const bool is_start = event % 2 == 0;
    if (node.fixed) {
      start[id] = node.start;
      end[id] = resource_free[id] = node.end;
      continue;
    }
    const bool gone = effect.scale == 0;
    if (is_start && !node.device) {
      start[id] = node.previous == kNoRow ? node.start : end[node.previous];
    } else if (is_start) {
      TimeNs ready{INT64_MIN};
      if (node.trigger != kNoRow) {
        ready = start[node.trigger] + (gone ? DurationNs{} : node.trigger_lag);
      }
      if (node.previous != kNoRow && !effect.side_stream) {
        ready = std::max(ready,
                         resource_free[node.previous] + (gone ? DurationNs{} : node.previous_gap));
      }
      if (node.barrier != kNoRow) ready = std::max(ready, end[node.barrier] + node.barrier_lag);
      start[id] = ready.ns == INT64_MIN ? node.start : ready;
    } else {
      const DurationNs recorded = node.end - node.start;
      const bool waits = !node.device && node.trigger != kNoRow;
      if (gone) {
        end[id] = start[id];
      } else if (!waits) {
        end[id] = start[id] + Scaled(recorded, effect.scale);
      } else if (effect.no_wait) {
        end[id] = start[id] + std::min(recorded, kCallCost);
      } else {
        end[id] = std::max(start[id] + std::min(recorded, kCallCost),
                           end[node.trigger] + node.trigger_lag);
      }
      const bool frees_early = node.device && effect.side_stream && node.previous != kNoRow;
      resource_free[id] = frees_early ? resource_free[node.previous] : end[id];
    }
  }
  TimeNs last{INT64_MIN};
  for (const uint32_t id : graph_.final_nodes()) last = std::max(last, end[id]);
  if (last.ns == INT64_MIN) return graph_.step().duration;
  return std::max(last - graph_.step().start, DurationNs{});
}

double Replay::error() const {
  if (recorded().ns == 0) return 0;
  return std::abs(static_cast<double>((unchanged_ - recorded()).ns)) /
         static_cast<double>(recorded().ns);
}

ReplayOfSteps::ReplayOfSteps(const Trace& trace, const Links& links, const Steps& steps,
                             TaskPool& pool) {
  std::vector<uint32_t> used;
  for (uint32_t s = 0; s < steps.items.size(); ++s) {
    if (steps.items[s].used()) used.push_back(s);
  }
  if (used.empty()) return;
  std::sort(used.begin(), used.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(steps.items[a].duration, a) < std::pair(steps.items[b].duration, b);
  });
  const size_t last = used.size() - 1;
  const std::set<size_t> distinct{last / 10, last / 2, last * 9 / 10};
  std::vector<uint32_t> picks;
  for (const size_t i : distinct) picks.push_back(used[i]);
  const std::vector<std::vector<uint32_t>> device_rows = DeviceRowsOf(trace, steps, picks);
  replays_.resize(picks.size());
  pool.ForEach(picks.size(), [&](size_t i) {
    replays_[i] = std::make_unique<const Replay>(trace, links, steps, picks[i], device_rows[i]);
  });
  std::vector<double> errors;
  for (const auto& replay : replays_) errors.push_back(replay->error());
  std::sort(errors.begin(), errors.end());
  error_ = errors[(errors.size() - 1) / 2];
  trusted_ = error_ <= kTolerated;
}

std::optional<DurationNs> ReplayOfSteps::Saving(const std::vector<Change>& changes) const {
  if (!trusted_) return std::nullopt;
  std::vector<DurationNs> savings;
  for (const auto& replay : replays_) {
    savings.push_back(std::max(replay->unchanged() - replay->Run(changes), DurationNs{}));
  }
  std::sort(savings.begin(), savings.end());
  return savings[(savings.size() - 1) / 2];
}

}  // namespace stepscope
