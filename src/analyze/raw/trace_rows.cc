#include "analyze/raw/trace_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace stepscope::tables {
namespace {

template <typename Wanted>
std::vector<uint32_t> SlicesWhere(const Trace& trace, Wanted wanted) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    if (wanted(i)) rows.push_back(i);
  }
  return rows;
}

// The step of each slice: of device work the step that launched it, of all else the step it starts
// in.
std::vector<uint32_t> StepsOfSlices(const Trace& trace, const Steps& steps) {
  std::vector<uint32_t> step_of(trace.slices.size(), kNoRow);
  if (steps.items.empty()) return step_of;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    const uint32_t args = trace.slices.args[i];
    if (IsDeviceWork(trace.slices.kind[i]) && args < steps.step_of_device.size()) {
      step_of[i] = steps.step_of_device[args];
      continue;
    }
    const TimeNs start = trace.slices.start[i];
    const auto after = std::ranges::upper_bound(steps.items, start, {}, &Step::start);
    if (after == steps.items.begin() || start >= std::prev(after)->end()) continue;
    step_of[i] = static_cast<uint32_t>(after - steps.items.begin() - 1);
  }
  return step_of;
}

std::vector<DurationNs> SelfTimes(const Slices& slices) {
  std::vector<DurationNs> self = slices.duration;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (slices.parent[i] != kNoSlice) self[Index(slices.parent[i])] -= slices.duration[i];
  }
  return self;
}

std::vector<DurationNs> DeviceTimes(const Trace& trace, const Links& links) {
  const Slices& slices = trace.slices;
  std::vector<DurationNs> time(slices.size());
  for (uint32_t row = 0; row < links.launch_of.size(); ++row) {
    const uint32_t work = trace.device_args[row].slice;
    if (work == kNoRow || links.launch_of[row] == kNoSlice) continue;
    time[Index(links.launch_of[row])] += slices.duration[work];
  }
  // A parent comes before its children: from the end, every slice is complete before its parent.
  for (uint32_t i = slices.size(); i-- > 0;) {
    if (slices.parent[i] != kNoSlice) time[Index(slices.parent[i])] += time[i];
  }
  return time;
}

bool AnyKind(Kind) { return true; }

SliceId SliceOf(const Trace& trace, const Flow& flow) {
  return flow.track == kNoTrack ? kNoSlice : InnermostAt(trace, flow.track, flow.time, AnyKind);
}

// From each point of a flow to the next of the same id and name.
std::vector<FlowRow> FlowRows(const Trace& trace) {
  std::vector<uint32_t> order(trace.flows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t i) {
    const Flow& flow = trace.flows[i];
    return std::tuple(flow.id, flow.name, flow.time, flow.phase, i);
  });
  std::vector<FlowRow> rows;
  for (size_t i = 1; i < order.size(); ++i) {
    const Flow& from = trace.flows[order[i - 1]];
    const Flow& to = trace.flows[order[i]];
    if (from.id != to.id || from.name != to.name || from.phase == FlowPhase::kEnd) continue;
    if (to.phase == FlowPhase::kStart) continue;
    rows.push_back({from.id, SliceOf(trace, from), SliceOf(trace, to), from.name});
  }
  return rows;
}

}  // namespace

const std::vector<uint32_t>& TraceRows::track_of_slice() const {
  return track_of_slice_.Get([&] {
    std::vector<uint32_t> tracks(trace().slices.size());
    for (uint32_t t = 0; t < trace().tracks.size(); ++t) {
      const RowRange range = trace().tracks[t].slices;
      std::fill(tracks.begin() + range.first, tracks.begin() + range.last, t);
    }
    return tracks;
  });
}

const std::vector<uint32_t>& TraceRows::step_of_slice() const {
  return step_of_slice_.Get([&] { return StepsOfSlices(trace(), steps()); });
}
const std::vector<DurationNs>& TraceRows::self_time() const {
  return self_time_.Get([&] { return SelfTimes(trace().slices); });
}
const std::vector<DurationNs>& TraceRows::device_time() const {
  return device_time_.Get([&] { return DeviceTimes(trace(), links()); });
}
const std::vector<SliceId>& TraceRows::backward_of() const {
  return backward_of_.Get([&] {
    std::vector<SliceId> backward(trace().slices.size(), kNoSlice);
    for (const auto& [from, to] : links().forward_backward) backward[Index(from)] = to;
    return backward;
  });
}

const std::vector<uint32_t>& TraceRows::ops() const {
  return ops_.Get([&] {
    return SlicesWhere(trace(), [&](uint32_t i) {
      const Kind kind = trace().slices.kind[i];
      return kind == Kind::kOp || kind == Kind::kAnnotation;
    });
  });
}
const std::vector<uint32_t>& TraceRows::calls() const {
  return calls_.Get([&] {
    return SlicesWhere(trace(), [&](uint32_t i) { return trace().slices.kind[i] == Kind::kCall; });
  });
}
const std::vector<uint32_t>& TraceRows::device_work() const {
  return device_work_.Get([&] {
    return SlicesWhere(trace(), [&](uint32_t i) { return IsDeviceWork(trace().slices.kind[i]); });
  });
}
const std::vector<uint32_t>& TraceRows::collectives() const {
  return collectives_.Get([&] {
    std::vector<uint32_t> rows;
    for (const uint32_t slice : device_work()) {
      const uint32_t args = trace().slices.args[slice];
      const bool says = args != kNoRow && trace().device_args[args].collective != kNoRow;
      if (says || trace().slices.kind[slice] == Kind::kCollective) rows.push_back(slice);
    }
    return rows;
  });
}

const std::vector<ThreadRow>& TraceRows::threads() const {
  return threads_.Get([&] {
    std::vector<ThreadRow> rows;
    const std::vector<uint32_t>& of_track = thread_of_track();
    for (uint32_t t = 0; t < of_track.size(); ++t) {
      if (of_track[t] == rows.size()) rows.push_back({t});
    }
    return rows;
  });
}
const std::vector<uint32_t>& TraceRows::thread_of_track() const {
  return thread_of_track_.Get([&] {
    std::vector<uint32_t> threads(trace().tracks.size(), kNoRow);
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> known;
    for (uint32_t t = 0; t < trace().tracks.size(); ++t) {
      const Track& track = trace().tracks[t];
      if (track.kind != TrackKind::kThread) continue;
      const auto thread = known.try_emplace({Index(track.process), track.key}, known.size()).first;
      threads[t] = thread->second;
    }
    return threads;
  });
}

const std::vector<FlowRow>& TraceRows::flows() const {
  return flows_.Get([&] { return FlowRows(trace()); });
}
const std::vector<IdleRow>& TraceRows::idle_rows() const {
  return idle_rows_.Get([&] {
    std::vector<IdleRow> rows;
    for (uint32_t device = 0; device < idle().size(); ++device) {
      for (uint32_t gap = 0; gap < idle()[device].start.size(); ++gap) {
        rows.push_back({device, gap});
      }
    }
    return rows;
  });
}

const std::vector<uint32_t>& TraceRows::counter_tracks() const {
  return counter_tracks_.Get([&] {
    std::vector<uint32_t> firsts;
    const std::vector<CounterSample>& samples = trace().counters;
    for (uint32_t i = 0; i < samples.size(); ++i) {
      const auto key = [&](uint32_t at) {
        return std::tuple(samples[at].process, samples[at].name, samples[at].series);
      };
      if (i == 0 || key(i) != key(i - 1)) firsts.push_back(i);
    }
    return firsts;
  });
}
const std::vector<uint32_t>& TraceRows::track_of_counter() const {
  return track_of_counter_.Get([&] {
    std::vector<uint32_t> tracks(trace().counters.size());
    const std::vector<uint32_t>& firsts = counter_tracks();
    for (uint32_t i = 0; i < firsts.size(); ++i) {
      const size_t last = i + 1 < firsts.size() ? firsts[i + 1] : tracks.size();
      std::fill(tracks.begin() + firsts[i], tracks.begin() + static_cast<ptrdiff_t>(last), i);
    }
    return tracks;
  });
}

}  // namespace stepscope::tables
