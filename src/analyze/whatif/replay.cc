#include "analyze/whatif/replay.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stepscope {
namespace {

// The cost of a call that no longer waits for anything.
constexpr DurationNs kCallCost{2'000};

// Most nodes of a replay are not changed.
DurationNs Scaled(DurationNs duration, double factor) {
  if (factor == 1) return duration;
  if (factor == 0 || duration.ns == 0) return {};
  return {std::llround(static_cast<double>(duration.ns) * factor)};
}

TimeNs StartOf(const Trace& trace, const Change& change) {
  return change.type == ChangeType::kCutTime ? change.time.start
                                             : trace.slices.start[Index(change.slice)];
}

// One past the last row of the subtree of a slice: rows of a lane follow their parent.
uint32_t SubtreeEnd(const Trace& trace, uint32_t slice) {
  const RowRange rows = trace.tracks[Index(trace.TrackOf(slice))].slices;
  uint32_t end = slice + 1;
  while (end < rows.last && trace.slices.depth[end] > trace.slices.depth[slice]) ++end;
  return end;
}

}  // namespace

Replay::Replay(const LinkedTrace& linked, uint32_t step, std::span<const uint32_t> device_rows,
               const ProfilerCost& cost)
    : graph_(linked, step, device_rows, cost) {
  for (uint32_t id = 0; id < graph_.nodes().size(); ++id) {
    const SliceId slice = graph_.nodes()[id].slice;
    if (slice != kNoSlice) node_of_slice_.emplace_back(Index(slice), id);
  }
  std::sort(node_of_slice_.begin(), node_of_slice_.end());
  unchanged_ = Run(linked, {}, 0);
  unprofiled_ = cost.known() ? Run(linked, {}, 1) : unchanged_;
}

template <typename ChangeNode>
void Replay::ForNodes(uint32_t first, uint32_t last, ChangeNode change_node) const {
  auto at = std::lower_bound(node_of_slice_.begin(), node_of_slice_.end(), std::pair(first, 0U));
  for (; at != node_of_slice_.end() && at->first < last; ++at) change_node(at->second);
}

void Replay::Apply(const LinkedTrace& linked, const Change& change,
                   std::vector<Effect>& effects) const {
  const Trace& trace = linked.trace;
  const Links& links = linked.links;
  const uint32_t slice = Index(change.slice);
  const bool device = IsDeviceWork(trace.slices.kind[slice]);
  switch (change.type) {
    case ChangeType::kNoWait:
      ForNodes(slice, SubtreeEnd(trace, slice), [&](uint32_t id) { effects[id].no_wait = true; });
      return;
    case ChangeType::kSideStream:
      ForNodes(slice, slice + 1, [&](uint32_t id) { effects[id].side_stream = true; });
      return;
    case ChangeType::kScaleSelf:
      ForNodes(slice, slice + 1, [&](uint32_t id) { effects[id].scale *= change.factor; });
      return;
    case ChangeType::kCutTime:
      Cut(linked.threads.Of(trace.TrackOf(slice)), change.time, effects);
      return;
    case ChangeType::kScale:
    case ChangeType::kRemove:
      break;
  }
  const double factor = change.type == ChangeType::kRemove ? 0 : change.factor;
  const uint32_t end = device ? slice + 1 : SubtreeEnd(trace, slice);
  ForNodes(slice, end, [&](uint32_t id) { effects[id].scale *= factor; });
  if (change.type == ChangeType::kScale || device) return;
  // A call that is not made launches nothing.
  const auto begin = std::lower_bound(links.calls.begin(), links.calls.end(), SliceId{slice});
  for (auto at = begin; at != links.calls.end() && Index(*at) < end; ++at) {
    const auto call = static_cast<size_t>(at - links.calls.begin());
    for (uint32_t i = links.first[call]; i < links.first[call + 1]; ++i) {
      const uint32_t launched = trace.device_args[links.device_rows[i]].slice;
      ForNodes(launched, launched + 1, [&](uint32_t id) { effects[id].scale = 0; });
    }
  }
}

void Replay::Cut(uint32_t thread, Interval time, std::vector<Effect>& effects) const {
  const std::vector<WorkNode>& nodes = graph_.nodes();
  const RowRange range = graph_.NodesOf(thread);
  const auto first =
      std::lower_bound(nodes.begin() + range.first, nodes.begin() + range.last, time.start,
                       [](const WorkNode& node, TimeNs start) { return node.end <= start; });
  for (auto id = static_cast<uint32_t>(first - nodes.begin());
       id < range.last && nodes[id].start < time.end; ++id) {
    // What waits for something else goes on waiting.
    if (nodes[id].trigger != kNoRow) continue;
    const DurationNs overlap =
        std::min(nodes[id].end, time.end) - std::max(nodes[id].start, time.start);
    const auto whole = static_cast<double>((nodes[id].end - nodes[id].start).ns);
    effects[id].scale *= 1 - static_cast<double>(overlap.ns) / whole;
  }
}

std::vector<Replay::Effect> Replay::EffectsOf(const LinkedTrace& linked,
                                              const std::vector<Change>& changes) const {
  std::vector<Effect> effects(graph_.nodes().size());
  // Rules name what they would change in every step; only one is replayed.
  const Step& step = graph_.step();
  for (const Change& change : changes) {
    const TimeNs start = StartOf(linked.trace, change);
    if (start >= step.host_start && start < step.end()) Apply(linked, change, effects);
  }
  return effects;
}

DurationNs Replay::Run(const LinkedTrace& linked, const std::vector<Change>& changes, double cost,
                       bool host_only) const {
  const std::vector<WorkNode>& nodes = graph_.nodes();
  const std::vector<Effect> effects = EffectsOf(linked, changes);
  std::vector<TimeNs> start(nodes.size());
  std::vector<TimeNs> end(nodes.size());
  std::vector<TimeNs> resource_free(nodes.size());  // when the next node of the resource may start

  for (const uint32_t event : graph_.order()) {
    const uint32_t id = event / 2;
    const WorkNode& node = nodes[id];
    const Effect& effect = effects[id];
    const bool is_start = event % 2 == 0;
    if (node.fixed) {
      const TimeNs since = host_only ? graph_.step().host_start : node.end;
      start[id] = host_only ? since : node.start;
      end[id] = resource_free[id] = since;
      continue;
    }
    const bool gone = effect.scale == 0 || (host_only && node.device);
    if (is_start && !node.device) {
      start[id] = node.previous == kNoRow ? node.start : end[node.previous];
    } else if (is_start) {
      TimeNs ready{INT64_MIN};
      if (node.trigger != kNoRow) {
        const DurationNs recording = Scaled(nodes[node.trigger].before_work, cost);
        const DurationNs lag = node.trigger_lag - std::min(recording, node.trigger_lag);
        ready = start[node.trigger] + (gone ? DurationNs{} : lag);
      }
      if (node.previous != kNoRow && !effect.side_stream) {
        ready = std::max(ready,
                         resource_free[node.previous] + (gone ? DurationNs{} : node.previous_gap));
      }
      if (node.barrier != kNoRow) ready = std::max(ready, end[node.barrier] + node.barrier_lag);
      start[id] = ready.ns == INT64_MIN ? node.start : ready;
    } else {
      const DurationNs recorded = node.end - node.start - Scaled(node.profiler, cost);
      const bool waits = !node.device && node.trigger != kNoRow;
      if (gone) {
        end[id] = start[id];
      } else if (effect.no_wait) {
        end[id] = start[id] + std::min(recorded, kCallCost);
      } else if (!waits) {
        end[id] = start[id] + Scaled(recorded, effect.scale);
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
  const TimeNs from = host_only ? graph_.step().host_start : graph_.step().start;
  return std::max(last - from, DurationNs{});
}

double Replay::error() const {
  if (recorded().ns == 0) return 0;
  return std::abs(static_cast<double>((unchanged_ - recorded()).ns)) /
         static_cast<double>(recorded().ns);
}

namespace {

template <typename T>
T MiddleOf(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<uint32_t> UsedSteps(const Steps& steps) {
  std::vector<uint32_t> used;
  for (uint32_t s = 0; s < steps.items.size(); ++s) {
    if (steps.items[s].used()) used.push_back(s);
  }
  return used;
}

// The steps in which one of the changes begins.
std::vector<uint32_t> StepsWith(const LinkedTrace& linked, const std::vector<uint32_t>& used,
                                const std::vector<Change>& changes) {
  std::vector<TimeNs> starts;
  for (const Change& change : changes) {
    starts.push_back(StartOf(linked.trace, change));
  }
  std::sort(starts.begin(), starts.end());
  std::vector<uint32_t> with;
  for (const uint32_t s : used) {
    const Step& step = linked.steps.items[s];
    const auto first = std::lower_bound(starts.begin(), starts.end(), step.host_start);
    if (first != starts.end() && *first < step.end()) with.push_back(s);
  }
  return with;
}

// Changes that stand in fewer than half of the steps are of these steps, not of the usual one.
constexpr size_t kOften = 2;
// So many of such steps are replayed.
constexpr size_t kRareSteps = 2;

}  // namespace

ReplayOfSteps::Replays ReplayOfSteps::Build(const LinkedTrace& linked,
                                            const std::vector<uint32_t>& steps) const {
  const std::vector<std::vector<uint32_t>> device_rows =
      DeviceRowsOf(linked.trace, linked.steps, steps);
  Replays replays;
  for (size_t i = 0; i < steps.size(); ++i) {
    replays.push_back(std::make_unique<const Replay>(linked, steps[i], device_rows[i], cost_));
  }
  return replays;
}

ReplayOfSteps::ReplayOfSteps(const LinkedTrace& linked) {
  const std::vector<Step>& items = linked.steps.items;
  std::vector<uint32_t> used = UsedSteps(linked.steps);
  if (used.empty()) return;
  std::sort(used.begin(), used.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(items[a].duration, a) < std::pair(items[b].duration, b);
  });
  const size_t last = used.size() - 1;
  for (const size_t i : std::set<size_t>{last / 10, last / 2, last * 9 / 10}) {
    picks_.push_back(used[i]);
  }
  cost_ = ProfilerCostOf(linked.trace);
  replays_ = Build(linked, picks_);
  std::vector<double> errors;
  for (const auto& replay : replays_) errors.push_back(replay->error());
  error_ = MiddleOf(std::move(errors));
  trusted_ = error_ <= kTolerated;
}

Gain ReplayOfSteps::MeanGain(const LinkedTrace& linked, const Replays& replays,
                             const std::vector<Change>& changes, GainOf of) const {
  Gain sum{};
  for (const auto& replay : replays) {
    DurationNs recorded{};
    if (of == GainOf::kBoth || !cost_.known()) {
      const DurationNs changed = replay->Run(linked, changes, 0);
      recorded = std::max(replay->unchanged() - changed, DurationNs{});
    }
    sum.recorded += recorded;
    if (cost_.known()) {
      const DurationNs without = replay->Run(linked, changes, 1);
      sum.unprofiled += std::max(replay->unprofiled() - without, DurationNs{});
    } else {
      sum.unprofiled += recorded;
    }
  }
  const auto count = static_cast<int64_t>(replays.size());
  return {{sum.recorded.ns / count}, {sum.unprofiled.ns / count}};
}

// In the steady state a step takes as long as the host or the device, whichever takes longer: less
// device work gains no more than it is, and no more than what the host leaves.
Gain ReplayOfSteps::DeviceGain(const LinkedTrace& linked,
                               const std::vector<Change>& changes) const {
  const Trace& trace = linked.trace;
  double removed = 0;
  const size_t steps = UsedSteps(linked.steps).size();
  for (const Change& change : changes) {
    const uint32_t slice = Index(change.slice);
    const uint32_t step = linked.steps.step_of_device[trace.slices.args[slice]];
    if (step == kNoRow || !linked.steps.items[step].used()) continue;
    const double gone = change.type == ChangeType::kRemove ? 1 : 1 - change.factor;
    removed += gone * static_cast<double>(trace.slices.duration[slice].ns);
  }
  const DurationNs most{std::llround(removed / static_cast<double>(std::max<size_t>(steps, 1)))};
  Gain sum{};
  for (const auto& replay : replays_) {
    const DurationNs host = replay->Run(linked, {}, 0, true);
    sum.recorded += std::clamp(replay->recorded() - host, DurationNs{}, most);
    const DurationNs real = cost_.known() ? replay->Run(linked, {}, 1, true) : host;
    sum.unprofiled += std::clamp(replay->unprofiled() - real, DurationNs{}, most);
  }
  const auto count = static_cast<int64_t>(replays_.size());
  return {{sum.recorded.ns / count}, {sum.unprofiled.ns / count}};
}

std::optional<Gain> ReplayOfSteps::Saving(const LinkedTrace& linked,
                                          const std::vector<Change>& changes, GainOf of) const {
  if (!trusted_) return std::nullopt;
  const bool device = std::all_of(changes.begin(), changes.end(), [&](const Change& change) {
    const uint32_t slice = Index(change.slice);
    const bool less = change.type == ChangeType::kRemove || change.type == ChangeType::kScale;
    return less && IsDeviceWork(linked.trace.slices.kind[slice]) &&
           linked.trace.slices.args[slice] != kNoRow;
  });
  if (device && !changes.empty()) return DeviceGain(linked, changes);
  const std::vector<uint32_t> used = UsedSteps(linked.steps);
  std::vector<uint32_t> with = StepsWith(linked, used, changes);
  if (with.empty() || with.size() * kOften >= used.size()) {
    return MeanGain(linked, replays_, changes, of);
  }
  const auto count = static_cast<int64_t>(with.size());
  with.resize(std::min(with.size(), kRareSteps));
  Gain gain = MeanGain(linked, Build(linked, with), changes, of);
  const auto all = static_cast<int64_t>(used.size());
  // Without a product that a file of a hundred years makes too large.
  const auto part = [&](int64_t ns) { return ns / all * count + ns % all * count / all; };
  gain.recorded.ns = part(gain.recorded.ns);
  gain.unprofiled.ns = part(gain.unprofiled.ns);
  return gain;
}

std::optional<StepEstimate> ReplayOfSteps::Unprofiled(const LinkedTrace& linked,
                                                      DurationNs recorded) const {
  if (!cost_.known() || replays_.empty() || error_ > kUseless) return std::nullopt;
  // Each replayed step says which part of it remains.
  const auto left = [&](double cost) {
    std::vector<double> parts;
    for (const auto& replay : replays_) {
      const auto whole = static_cast<double>(std::max<int64_t>(replay->unchanged().ns, 1));
      parts.push_back(static_cast<double>(replay->Run(linked, {}, cost).ns) / whole);
    }
    return Scaled(recorded, MiddleOf(std::move(parts)));
  };
  return StepEstimate{left(1), left(kMostCost), left(kLeastCost)};
}

}  // namespace stepscope
