#include "analyze/whatif/step_graph.h"

#include <algorithm>
#include <map>

namespace stepscope {
namespace {

// Pauses shorter than this come from the machine, not from a dependency.
constexpr DurationNs kNoise{5'000};
// A wait ends this soon after what it waited for; later than that something else was going on.
constexpr DurationNs kWakeUp{100'000};
// … or within this share of a long wait: a thread that slept long is woken through others.
constexpr int64_t kWakeUpPart = 20;
// Stretches of a host thread below this are never taken for a wait for another thread.
constexpr DurationNs kShortestHandover{20'000};
// Launches block when this much work is queued on a stream (CUDA: 1,024).
constexpr size_t kQueueNearlyFull = 512;

bool IsHostWork(const Trace& trace, SliceId slice) {
  if (slice == kNoSlice) return false;
  if (trace.Traits(Index(slice)).input_stage) return true;
  switch (trace.slices.kind[Index(slice)]) {
    case Kind::kOp:
    case Kind::kInput:
    case Kind::kCall:
    case Kind::kSync:
    case Kind::kCompile:
    case Kind::kOverhead:
    case Kind::kAllocation:
      return true;
    default:
      return false;
  }
}

// A call that waits for the device takes as long without the profiler.
bool MayWait(const Trace& trace, SliceId slice) {
  if (slice == kNoSlice) return false;
  if (trace.slices.kind[Index(slice)] == Kind::kSync) return true;
  if (trace.slices.kind[Index(slice)] != Kind::kCall) return false;
  const NameTraits& traits = trace.Traits(Index(slice));
  return traits.sync_call || traits.copy_call || traits.alloc_call;
}

// What recording the launch of a graph cost, of a call that launches one; else 0.
DurationNs CostOfGraph(const LinkedTrace& linked, SliceId slice) {
  if (slice == kNoSlice || linked.trace.slices.kind[Index(slice)] != Kind::kCall) return {};
  if (!LaunchesGraph(linked.trace.Name(Index(slice)))) return {};
  const Links& links = linked.links;
  const auto at = std::lower_bound(links.calls.begin(), links.calls.end(), slice);
  if (at == links.calls.end() || *at != slice) return {};
  const auto call = static_cast<size_t>(at - links.calls.begin());
  return CostOfGraphLaunch(linked.trace.slices.duration[Index(slice)],
                           links.first[call + 1] - links.first[call]);
}

// Recording can have taken a half of a stretch of a thread; of a stretch inside of a Python frame,
// which is often shorter than its record, three quarters.
DurationNs MostOfRecording(const Trace& trace, SliceId slice, DurationNs stretch) {
  const bool frame = slice != kNoSlice && trace.slices.kind[Index(slice)] == Kind::kPythonFrame;
  return {frame ? stretch.ns / 4 * 3 : stretch.ns / 2};
}

// The p-th share of a list that may be empty.
DurationNs Quantile(std::vector<DurationNs>& values, double share) {
  if (values.empty()) return {};
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

std::vector<std::vector<uint32_t>> DeviceRowsOf(const Trace& trace, const Steps& steps,
                                                std::span<const uint32_t> asked_for) {
  std::vector<std::vector<uint32_t>> rows_of(asked_for.size());
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const uint32_t slice = trace.device_args[row].slice;
    if (slice == kNoRow || !IsDeviceWork(trace.slices.kind[slice])) continue;
    const TimeNs start = trace.slices.start[slice];
    const TimeNs end = trace.slices.end(slice);
    for (size_t i = 0; i < asked_for.size(); ++i) {
      const Step& step = steps.items[asked_for[i]];
      const bool mine = steps.step_of_device[row] == asked_for[i];
      const bool runs_into = end > step.host_start && start < step.end();
      if (mine || runs_into) rows_of[i].push_back(row);
    }
  }
  return rows_of;
}

StepGraph::StepGraph(const LinkedTrace& linked, uint32_t step,
                     std::span<const uint32_t> device_rows, const ProfilerCost& cost)
    : step_(linked.steps.items[step]) {
  AddThreads(linked, cost);
  AddDeviceWork(linked.trace, linked.steps, step, device_rows);
  ConnectDeviceWork(linked);
  ConnectHostWaits(linked.trace);
  ConnectHandovers(linked.trace);
  Order();
}

void StepGraph::AddThreads(const LinkedTrace& linked, const ProfilerCost& cost) {
  const Trace& trace = linked.trace;
  const Interval time{step_.host_start,
                      std::max(step_.host_start + step_.host_duration, step_.host_start)};
  const uint32_t marker_thread =
      step_.marker == kNoSlice ? kNoRow : linked.threads.Of(trace.TrackOf(Index(step_.marker)));
  // Threads that launch work of this step, the marker's own, and those that are busy in it. Spans
  // that overlap without nesting stand on several lanes: the fullest one tells what the thread did.
  for (uint32_t thread = 0; thread < linked.threads.size(); ++thread) {
    uint32_t fullest = kNoRow;
    ptrdiff_t most = -1;
    bool work = false;
    for (const uint32_t lane : linked.threads.LanesOf(thread)) {
      const Track& track = trace.tracks[lane];
      if (track.kind != TrackKind::kThread) continue;
      const auto first = trace.slices.start.begin() + track.slices.first;
      const auto last = trace.slices.start.begin() + track.slices.last;
      const auto begin = std::lower_bound(first, last, time.start);
      const auto end = std::lower_bound(begin, last, time.end);
      work = work || std::any_of(begin, end, [&](const TimeNs& s) {
               return IsHostWork(trace,
                                 SliceId{static_cast<uint32_t>(&s - trace.slices.start.data())});
             });
      if (end - begin <= most) continue;
      most = end - begin;
      fullest = lane;
    }
    if (fullest == kNoRow || (!work && thread != marker_thread)) continue;
    const auto first_node = static_cast<uint32_t>(nodes_.size());
    AddThread(linked, TrackId{fullest}, time, cost);
    const auto last_node = static_cast<uint32_t>(nodes_.size());
    if (thread == marker_thread) marker_resource_ = static_cast<uint32_t>(threads_.size());
    threads_.push_back({thread, {first_node, last_node}});
    const bool ends_step = thread == marker_thread || marker_thread == kNoRow;
    if (ends_step && last_node > first_node) final_nodes_.push_back(last_node - 1);
  }
}

void StepGraph::AddThread(const LinkedTrace& linked, TrackId track, Interval time,
                          const ProfilerCost& cost) {
  const Trace& trace = linked.trace;
  const auto [from, to] = time;
  const auto resource = static_cast<uint32_t>(threads_.size());
  const auto first_node = static_cast<uint32_t>(nodes_.size());
  TimeNs at = from;
  DurationNs owed{};  // of the profiler, not yet taken out of a node
  const auto emit = [&](TimeNs until, SliceId slice) {
    until = std::min(until, to);
    if (until <= at) return;
    WorkNode node{.start = at, .end = until, .slice = slice, .resource = resource};
    if (nodes_.size() > first_node) node.previous = static_cast<uint32_t>(nodes_.size() - 1);
    if (!MayWait(trace, slice)) {
      node.profiler = std::min(owed, MostOfRecording(trace, slice, until - at));
      owed = owed - node.profiler;
      if (cost.known()) node.before_work = CostOfGraph(linked, slice);
      node.profiler = std::max(node.profiler, node.before_work);
    }
    nodes_.push_back(node);
    at = until;
  };
  const auto owe = [&](uint32_t slice) {
    const Kind kind = trace.slices.kind[slice];
    if (kind == Kind::kPythonFrame && AsksForTheTime(trace.Name(slice))) return;
    owed += cost.Of(kind);
  };
  const RowRange rows = trace.tracks[Index(track)].slices;
  const auto starts = trace.slices.start.begin();
  const auto inside = std::lower_bound(starts + rows.first, starts + rows.last, from);
  auto s = static_cast<uint32_t>(inside - starts);
  // What is open when the step begins is the span before or around it: they nest.
  std::vector<uint32_t> open;
  SliceId before = s == rows.first ? kNoSlice : SliceId{s - 1};
  for (; before != kNoSlice; before = trace.slices.parent[Index(before)]) {
    if (trace.slices.end(Index(before)) > from) open.push_back(Index(before));
  }
  std::reverse(open.begin(), open.end());
  const auto innermost = [&] { return open.empty() ? kNoSlice : SliceId{open.back()}; };
  for (; s < rows.last && trace.slices.start[s] < to; ++s) {
    if (trace.slices.end(s) <= from) continue;
    while (!open.empty() && trace.slices.end(open.back()) <= trace.slices.start[s]) {
      emit(trace.slices.end(open.back()), innermost());
      open.pop_back();
    }
    owe(s);
    emit(trace.slices.start[s], innermost());
    open.push_back(s);
  }
  for (; !open.empty(); open.pop_back()) emit(trace.slices.end(open.back()), innermost());
  emit(to, kNoSlice);
}

RowRange StepGraph::NodesOf(uint32_t thread) const {
  for (const auto& [other, nodes] : threads_) {
    if (other == thread) return nodes;
  }
  return {};
}

uint32_t StepGraph::HostNodeAt(uint32_t resource, TimeNs time) const {
  const RowRange range = threads_[resource].second;
  const auto begin = nodes_.begin() + range.first;
  const auto end = nodes_.begin() + range.last;
  const auto after = std::upper_bound(
      begin, end, time, [](TimeNs t, const WorkNode& node) { return t < node.start; });
  if (after == begin || time >= (after - 1)->end) return kNoRow;
  return static_cast<uint32_t>(after - 1 - nodes_.begin());
}

void StepGraph::AddDeviceWork(const Trace& trace, const Steps& steps, uint32_t step,
                              std::span<const uint32_t> device_rows) {
  std::map<std::pair<int32_t, int32_t>, std::vector<uint32_t>> streams;
  for (const uint32_t row : device_rows) {
    const DeviceArgs& args = trace.device_args[row];
    streams[{args.device, args.stream}].push_back(row);
  }
  auto resource = static_cast<uint32_t>(threads_.size());
  for (auto& [key, rows] : streams) {
    std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      const uint32_t sa = trace.device_args[a].slice;
      const uint32_t sb = trace.device_args[b].slice;
      return std::pair(trace.slices.start[sa], sa) < std::pair(trace.slices.start[sb], sb);
    });
    uint32_t previous = kNoRow;
    for (const uint32_t row : rows) {
      const uint32_t slice = trace.device_args[row].slice;
      const auto id = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({.start = trace.slices.start[slice],
                        .end = trace.slices.end(slice),
                        .slice = SliceId{slice},
                        .resource = resource,
                        .previous = previous,
                        .device = true,
                        .fixed = steps.step_of_device[row] != step});
      if (!nodes_.back().fixed) final_nodes_.push_back(id);
      device_nodes_.push_back(id);
      previous = id;
    }
    ++resource;
  }
  std::sort(device_nodes_.begin(), device_nodes_.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(nodes_[a].end, a) < std::pair(nodes_[b].end, b);
  });
}

void StepGraph::ConnectDeviceWork(const LinkedTrace& linked) {
  const Trace& trace = linked.trace;
  const Links& links = linked.links;
  for (const uint32_t id : device_nodes_) {
    WorkNode& node = nodes_[id];
    if (node.fixed) continue;
    const SliceId launch = links.launch_of[trace.slices.args[Index(node.slice)]];
    if (launch == kNoSlice) continue;
    const uint32_t thread = linked.threads.Of(trace.TrackOf(Index(launch)));
    for (uint32_t r = 0; r < threads_.size(); ++r) {
      if (threads_[r].first == thread) {
        node.trigger = HostNodeAt(r, trace.slices.start[Index(launch)]);
      }
    }
  }
  // What a launch and a change of kernels cost when nothing else is in the way.
  std::vector<DurationNs> delays;
  std::vector<DurationNs> gaps;
  for (const uint32_t id : device_nodes_) {
    const WorkNode& node = nodes_[id];
    const bool queue_empty =
        node.previous == kNoRow ||
        (node.trigger != kNoRow && nodes_[node.previous].end <= nodes_[node.trigger].start);
    if (node.trigger != kNoRow && queue_empty) {
      delays.push_back(node.start - nodes_[node.trigger].start);
    } else if (node.previous != kNoRow && node.start >= nodes_[node.previous].end) {
      gaps.push_back(node.start - nodes_[node.previous].end);
    }
  }
  const DurationNs least_delay = Quantile(delays, 0.1);
  const DurationNs least_gap = Quantile(gaps, 0.1);

  for (const uint32_t id : device_nodes_) {
    WorkNode& node = nodes_[id];
    const DurationNs since_launch =
        node.trigger == kNoRow ? DurationNs{} : node.start - nodes_[node.trigger].start;
    const DurationNs since_previous =
        node.previous == kNoRow ? DurationNs{} : node.start - nodes_[node.previous].end;
    node.trigger_lag = std::min(least_delay, since_launch);
    node.previous_gap = std::min(least_gap, since_previous);
    TimeNs ready = node.start - since_launch + node.trigger_lag;
    if (node.trigger == kNoRow) ready = TimeNs{INT64_MIN};
    if (node.previous != kNoRow) {
      ready = std::max(ready, nodes_[node.previous].end + node.previous_gap);
    }
    if (node.start <= ready + kNoise) {
      // The pause is explained. The binding dependency of the two takes the rest, so that an
      // unchanged replay gives what was recorded.
      if (node.previous != kNoRow &&
          (node.trigger == kNoRow || nodes_[node.previous].end >= nodes_[node.trigger].start)) {
        node.previous_gap = since_previous;
      } else {
        node.trigger_lag = since_launch;
      }
      continue;
    }
    // Something else held it back: the latest end on another stream shortly before.
    const auto after =
        std::upper_bound(device_nodes_.begin(), device_nodes_.end(), node.start,
                         [&](TimeNs t, uint32_t other) { return t < nodes_[other].end; });
    if (after != device_nodes_.begin()) {
      const uint32_t other = *(after - 1);
      const DurationNs lag = node.start - nodes_[other].end;
      if (nodes_[other].resource != node.resource && lag <= kNoise + kNoise) {
        node.barrier = other;
        node.barrier_lag = lag;
        continue;
      }
    }
    const bool queued = node.previous != kNoRow && node.trigger != kNoRow &&
                        nodes_[node.previous].end > nodes_[node.trigger].start;
    if (queued || node.trigger == kNoRow) {
      node.previous_gap = since_previous;
    } else {
      node.trigger_lag = since_launch;
    }
  }
}

void StepGraph::ConnectHostWaits(const Trace& trace) {
  // Launch times of device work by recorded end: what a call can have waited for was launched
  // before the call.
  const auto launched_before = [&](uint32_t device_node, TimeNs time) {
    const WorkNode& work = nodes_[device_node];
    return work.fixed || work.trigger == kNoRow || nodes_[work.trigger].start <= time;
  };
  for (const auto& [track, range] : threads_) {
    for (uint32_t id = range.first; id < range.last; ++id) {
      WorkNode& node = nodes_[id];
      if (node.slice == kNoSlice) continue;
      const Kind kind = trace.slices.kind[Index(node.slice)];
      if (kind != Kind::kCall && kind != Kind::kSync) continue;
      const NameTraits& traits = trace.Traits(Index(node.slice));
      const bool waits = traits.sync_call || kind == Kind::kSync;
      const bool may_wait = waits || traits.copy_call || traits.alloc_call ||
                            (traits.launch_call && node.end - node.start > kWakeUp);
      if (!may_wait) continue;
      auto after =
          std::upper_bound(device_nodes_.begin(), device_nodes_.end(), node.end,
                           [&](TimeNs t, uint32_t other) { return t < nodes_[other].end; });
      size_t looked_at = 0;
      while (after != device_nodes_.begin() && looked_at++ < kQueueNearlyFull) {
        --after;
        if (nodes_[*after].end <= node.start) break;
        if (!launched_before(*after, node.start)) continue;
        const DurationNs lag = node.end - nodes_[*after].end;
        if (!waits && lag > kWakeUp) break;
        node.trigger = *after;
        node.trigger_lag = lag;
        break;
      }
    }
  }
}

void StepGraph::ConnectHandovers(const Trace& trace) {
  for (uint32_t r = 0; r < threads_.size(); ++r) {
    const RowRange range = threads_[r].second;
    for (uint32_t id = range.first; id < range.last; ++id) {
      WorkNode& node = nodes_[id];
      if (IsHostWork(trace, node.slice) || node.end - node.start < kShortestHandover) continue;
      ConnectToThread(trace, r, id);
      if (node.trigger == kNoRow) ConnectToDevice(id);
      if (node.trigger == kNoRow && r != marker_resource_) ConnectToMarkerThread(id);
    }
  }
}

// A thread that stands still while another works, and goes on right after the other stopped,
// waited for it (the main thread during backward, the backward thread before it).
void StepGraph::ConnectToThread(const Trace& trace, uint32_t resource, uint32_t id) {
  WorkNode& node = nodes_[id];
  const DurationNs wake_up =
      std::max(kWakeUp, DurationNs{(node.end - node.start).ns / kWakeUpPart});
  for (uint32_t other = 0; other < threads_.size(); ++other) {
    if (other == resource) continue;
    // The other thread's last work before this stretch ended.
    uint32_t last = HostNodeAt(other, node.end - DurationNs{1});
    DurationNs busy{};
    uint32_t candidate = kNoRow;
    for (; last != kNoRow && nodes_[last].end > node.start; last = nodes_[last].previous) {
      if (!IsHostWork(trace, nodes_[last].slice)) continue;
      if (candidate == kNoRow) {
        if (node.end < nodes_[last].end || node.end - nodes_[last].end > wake_up) break;
        candidate = last;
      }
      busy += nodes_[last].end - std::max(nodes_[last].start, node.start);
    }
    if (candidate == kNoRow || busy.ns * 2 < (node.end - node.start).ns) continue;
    const DurationNs lag = node.end - nodes_[candidate].end;
    if (node.trigger == kNoRow || lag < node.trigger_lag) {
      node.trigger = candidate;
      node.trigger_lag = lag;
    }
  }
}

// Code that nothing was recorded of, and that goes on when the device has caught up, waited for it:
// runtimes wait without telling the profiler.
void StepGraph::ConnectToDevice(uint32_t id) {
  WorkNode& node = nodes_[id];
  const DurationNs length = node.end - node.start;
  if (length < kWakeUp) return;
  auto after = std::upper_bound(device_nodes_.begin(), device_nodes_.end(), node.end,
                                [&](TimeNs t, uint32_t other) { return t < nodes_[other].end; });
  uint32_t candidate = kNoRow;
  DurationNs busy{};
  for (size_t seen = 0; after != device_nodes_.begin() && seen < kQueueNearlyFull; ++seen) {
    const WorkNode& work = nodes_[*--after];
    if (work.end <= node.start) break;
    if (candidate == kNoRow) {
      if (node.end - work.end > std::max(kWakeUp, DurationNs{length.ns / 10})) return;
      candidate = *after;
    }
    busy += work.end - std::max(work.start, node.start);
  }
  if (candidate == kNoRow || busy.ns * 5 < length.ns * 4) return;
  node.trigger = candidate;
  node.trigger_lag = node.end - nodes_[candidate].end;
}

// Else a thread gets its work from the one that runs the loop.
void StepGraph::ConnectToMarkerThread(uint32_t id) {
  WorkNode& node = nodes_[id];
  if (marker_resource_ == kNoRow) return;
  uint32_t last = HostNodeAt(marker_resource_, node.end - DurationNs{1});
  if (last == kNoRow) return;
  if (nodes_[last].end > node.end) last = nodes_[last].previous;
  if (last == kNoRow || nodes_[last].end <= node.start) return;
  node.trigger = last;
  node.trigger_lag = node.end - nodes_[last].end;
}

void StepGraph::Order() {
  // Calls edge(before, after) for every dependency between starts (2 * id) and ends (2 * id + 1).
  const auto for_each_edge = [&](auto&& edge) {
    for (uint32_t id = 0; id < nodes_.size(); ++id) {
      const WorkNode& node = nodes_[id];
      edge(2 * id, 2 * id + 1);
      if (node.previous != kNoRow) edge(2 * node.previous + 1, 2 * id);
      if (node.trigger != kNoRow) {
        node.device ? edge(2 * node.trigger, 2 * id) : edge(2 * node.trigger + 1, 2 * id + 1);
      }
      if (node.barrier != kNoRow) edge(2 * node.barrier + 1, 2 * id);
    }
  };
  const size_t points = 2 * nodes_.size();
  std::vector<uint32_t> waiting(points, 0);
  std::vector<uint32_t> first(points + 2, 0);
  for_each_edge([&](uint32_t before, uint32_t after) {
    ++first[before + 2];
    ++waiting[after];
  });
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<uint32_t> after_of(first.back());
  for_each_edge([&](uint32_t before, uint32_t after) { after_of[first[before + 1]++] = after; });
  order_.reserve(points);
  for (uint32_t i = 0; i < points; ++i) {
    if (waiting[i] == 0) order_.push_back(i);
  }
  for (size_t at = 0; at < order_.size(); ++at) {
    for (uint32_t e = first[order_[at]]; e < first[order_[at] + 1]; ++e) {
      if (--waiting[after_of[e]] == 0) order_.push_back(after_of[e]);
    }
  }
}

}  // namespace stepscope
