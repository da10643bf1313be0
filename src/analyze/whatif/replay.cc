#include "analyze/whatif/replay.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace stepscope {
namespace {

// What a call that no longer has anything to wait for still costs.
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

Replay::Replay(const Trace& trace, const Links& links, const Steps& steps, uint32_t step)
    : trace_(trace), links_(links), graph_(trace, links, steps, step) {}

std::vector<Replay::Effect> Replay::EffectsOf(const std::vector<Change>& changes) const {
  std::vector<Effect> effects(graph_.nodes().size());
  if (changes.empty()) return effects;
  std::unordered_multimap<uint32_t, uint32_t> nodes_of_slice;
  for (uint32_t id = 0; id < graph_.nodes().size(); ++id) {
    if (graph_.nodes()[id].slice != kNoSlice) {
      nodes_of_slice.emplace(Index(graph_.nodes()[id].slice), id);
    }
  }
  const auto apply = [&](uint32_t slice, auto&& change_node) {
    const auto [first, last] = nodes_of_slice.equal_range(slice);
    for (auto at = first; at != last; ++at) change_node(effects[at->second]);
  };
  for (const Change& change : changes) {
    const uint32_t slice = Index(change.slice);
    const bool device = IsDeviceWork(trace_.slices.kind[slice]);
    switch (change.type) {
      case ChangeType::kNoWait:
        apply(slice, [](Effect& e) { e.no_wait = true; });
        break;
      case ChangeType::kSideStream:
        apply(slice, [](Effect& e) { e.side_stream = true; });
        break;
      case ChangeType::kScale:
      case ChangeType::kRemove: {
        const double factor = change.type == ChangeType::kRemove ? 0 : change.factor;
        const uint32_t end = device ? slice + 1 : SubtreeEnd(trace_, slice);
        for (uint32_t s = slice; s < end; ++s) {
          apply(s, [&](Effect& e) { e.scale *= factor; });
          if (change.type == ChangeType::kScale || device || trace_.slices.kind[s] != Kind::kCall) {
            continue;
          }
          const auto at = std::lower_bound(links_.calls.begin(), links_.calls.end(), SliceId{s});
          if (at == links_.calls.end() || *at != SliceId{s}) continue;
          const auto call = static_cast<size_t>(at - links_.calls.begin());
          for (uint32_t i = links_.first[call]; i < links_.first[call + 1]; ++i) {
            apply(trace_.device_args[links_.device_rows[i]].slice, [](Effect& e) { e.scale = 0; });
          }
        }
        break;
      }
    }
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
  return std::abs(static_cast<double>((Run({}) - recorded()).ns)) /
         static_cast<double>(recorded().ns);
}

ReplayOfSteps::ReplayOfSteps(const Trace& trace, const Links& links, const Steps& steps) {
  std::vector<uint32_t> used;
  for (uint32_t s = 0; s < steps.items.size(); ++s) {
    if (steps.items[s].used()) used.push_back(s);
  }
  if (used.empty()) return;
  std::sort(used.begin(), used.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(steps.items[a].duration, a) < std::pair(steps.items[b].duration, b);
  });
  std::vector<size_t> picks{(used.size() - 1) / 10, (used.size() - 1) / 2,
                            (used.size() - 1) * 9 / 10};
  picks.erase(std::unique(picks.begin(), picks.end()), picks.end());
  std::vector<double> errors;
  for (const size_t pick : picks) {
    replays_.emplace_back(trace, links, steps, used[pick]);
    errors.push_back(replays_.back().error());
  }
  std::sort(errors.begin(), errors.end());
  error_ = errors[(errors.size() - 1) / 2];
  trusted_ = error_ <= kTolerated;
}

std::optional<DurationNs> ReplayOfSteps::Saving(const std::vector<Change>& changes) const {
  if (!trusted_) return std::nullopt;
  std::vector<DurationNs> savings;
  for (const Replay& replay : replays_) {
    savings.push_back(std::max(replay.Run({}) - replay.Run(changes), DurationNs{}));
  }
  std::sort(savings.begin(), savings.end());
  return savings[(savings.size() - 1) / 2];
}

}  // namespace stepscope
