#include "tools/timeline/timeline_spans.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "present/json_writer.h"

namespace stepscope {
namespace {

// Shapes and types are JSON already where the file was.
std::string ArrayOrText(std::string_view text) {
  const bool array = text.starts_with('[') && text.ends_with(']') &&
                     text.find_first_not_of(
                         "[]0123456789,-.\"abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ :<>_()") == std::string_view::npos;
  return array ? std::string(text) : JsonString(text);
}

void AddOpArgs(const Trace& trace, const OpArgs& op, SpanArgs& args) {
  if (op.external_id != 0) args.emplace_back("External id", std::to_string(op.external_id));
  if (op.sequence >= 0) args.emplace_back("Sequence number", std::to_string(op.sequence));
  if (op.input_dims != kEmptyString) {
    args.emplace_back("Input Dims", ArrayOrText(trace.strings[op.input_dims]));
  }
  if (op.input_types != kEmptyString) {
    args.emplace_back("Input type", ArrayOrText(trace.strings[op.input_types]));
  }
  if (op.stack != kEmptyString) {
    args.emplace_back("Call stack", JsonString(trace.strings[op.stack]));
  }
}

void AddDeviceArgs(const Trace& trace, const DeviceArgs& device, SpanArgs& args) {
  if (device.correlation != kNoCorrelation) {
    args.emplace_back("correlation", std::to_string(device.correlation));
  }
  if (device.external_id != 0) {
    args.emplace_back("External id", std::to_string(device.external_id));
  }
  args.emplace_back("device", std::to_string(device.device));
  if (device.stream >= 0) args.emplace_back("stream", std::to_string(device.stream));
  if (device.bytes >= 0) args.emplace_back("bytes", std::to_string(device.bytes));
  if (device.grid[0] != 0) {
    args.emplace_back("grid",
                      fmt::format("[{},{},{}]", device.grid[0], device.grid[1], device.grid[2]));
    args.emplace_back("block",
                      fmt::format("[{},{},{}]", device.block[0], device.block[1], device.block[2]));
  }
  if (device.registers != 0) {
    args.emplace_back("registers per thread", std::to_string(device.registers));
  }
  if (device.shared_memory != 0) {
    args.emplace_back("shared memory", std::to_string(device.shared_memory));
  }
  if (device.occupancy_percent >= 0) {
    args.emplace_back("est. achieved occupancy %", fmt::format("{:g}", device.occupancy_percent));
  }
  if (device.blocks_per_sm >= 0) {
    args.emplace_back("blocks per SM", fmt::format("{:g}", device.blocks_per_sm));
  }
  if (device.op != kEmptyString) args.emplace_back("op", JsonString(trace.strings[device.op]));
}

// Flows of the file that have an end outside of the steps that were chosen.
std::unordered_set<uint64_t> CutFlows(const TimelineRun& run) {
  std::unordered_set<uint64_t> cut;
  if (!run.host) return cut;
  for (const Flow& flow : run.input.trace->flows) {
    const bool starts = flow.phase == FlowPhase::kStart;
    const bool in_host = flow.time >= run.host->start && flow.time < run.host->end;
    if (!run.Shows(flow.time) || (starts && !in_host)) cut.insert(flow.id);
  }
  return cut;
}

// The innermost span of a track that holds the time, ends included.
uint32_t SpanAt(const Trace& trace, TrackId track, TimeNs time) {
  const RowRange range = trace.tracks[Index(track)].slices;
  const auto first = trace.slices.start.begin() + range.first;
  const auto last = trace.slices.start.begin() + range.last;
  const auto after = std::upper_bound(first, last, time);
  uint32_t row = after == first ? kNoRow : range.first + static_cast<uint32_t>(after - first) - 1;
  while (row != kNoRow && trace.slices.end(row) < time) {
    row = trace.slices.parent[row] == kNoSlice ? kNoRow : Index(trace.slices.parent[row]);
  }
  return row;
}

class FlowCollector {
 public:
  FlowCollector(const TimelineRun& run, uint64_t& next_id)
      : run_(run), trace_(*run.input.trace), next_id_(next_id) {
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> rows;
    for (uint32_t i = 0; i < trace_.tracks.size(); ++i) {
      const Track& track = trace_.tracks[i];
      const auto row = static_cast<uint32_t>(lanes_.size());
      const auto [known, added] = rows.try_emplace({Index(track.process), track.key}, row);
      if (added) lanes_.emplace_back();
      lanes_[known->second].push_back(i);
      row_of_track_.push_back(known->second);
    }
  }

  // Those of the file.
  void AddFlows() {
    const std::unordered_set<uint64_t> cut = CutFlows(run_);
    std::unordered_map<uint64_t, Open> open;
    for (const Flow& flow : trace_.flows) {
      if (!run_.Shows(flow.time) || flow.track == kNoTrack || cut.contains(flow.id)) continue;
      const auto [found, added] = open.try_emplace(flow.id);
      Open& known = found->second;
      if (added) known.id = next_id_++;
      FlowPoint point = At(flow.track, flow.time);
      point.phase = flow.phase;
      point.name = trace_.strings[flow.name];
      if (flow.phase == FlowPhase::kStart) known.start = points_.size();
      if (flow.phase == FlowPhase::kEnd && std::exchange(known.ended, true) &&
          known.start != kNone) {
        FlowPoint start = points_[known.start];
        start.id = known.id = next_id_++;
        points_.push_back(start);
      }
      point.id = known.id;
      points_.push_back(point);
    }
  }

  void AddArrows() {
    for (const FlowArrow& arrow : run_.input.arrows) {
      if (!run_.Shows(arrow.from_time) || !run_.Shows(arrow.to_time)) continue;
      AddPair(At(arrow.from_track, arrow.from_time), At(arrow.to_track, arrow.to_time), arrow.name);
    }
  }

  // From the launch, or the op where no launch is recorded, to the work.
  void AddLaunches() {
    const Links& links = *run_.input.links;
    for (uint32_t row = 0; row < trace_.device_args.size(); ++row) {
      const uint32_t work = trace_.device_args[row].slice;
      SliceId cause = row < links.launch_of.size() ? links.launch_of[row] : kNoSlice;
      if (cause == kNoSlice && row < links.op_of.size()) cause = links.op_of[row];
      if (cause == kNoSlice || work == kNoRow) continue;
      if (run_.Shows(Index(cause)) && run_.Shows(work)) {
        AddPair(StartOf(Index(cause)), StartOf(work), "launch");
      }
    }
  }

  std::vector<FlowPoint> Take() && { return std::move(points_); }

 private:
  static constexpr size_t kNone = ~size_t{0};
  struct Open {
    uint64_t id = 0;
    size_t start = kNone;  // into points_
    bool ended = false;
  };

  FlowPoint StartOf(uint32_t slice) const {
    FlowPoint point;
    point.time = trace_.slices.start[slice];
    point.track = trace_.TrackOf(slice);
    point.slice = slice;
    return point;
  }
  // Files name the thread; its span may be on a further lane: the one that began last.
  FlowPoint At(TrackId track, TimeNs time) const {
    FlowPoint point;
    point.time = time;
    point.track = track;
    for (const uint32_t lane : lanes_[row_of_track_[Index(track)]]) {
      const uint32_t found = SpanAt(trace_, TrackId{lane}, time);
      if (found == kNoRow) continue;
      if (point.slice != kNoRow && trace_.slices.start[found] <= trace_.slices.start[point.slice]) {
        continue;
      }
      point.slice = found;
      point.track = TrackId{lane};
    }
    return point;
  }
  void AddPair(FlowPoint from, FlowPoint to, std::string_view name) {
    from.id = to.id = next_id_++;
    from.name = to.name = name;
    from.phase = FlowPhase::kStart;
    to.phase = FlowPhase::kEnd;
    points_.push_back(from);
    points_.push_back(to);
  }

  const TimelineRun& run_;
  const Trace& trace_;
  uint64_t& next_id_;
  // All tracks of a row of the file: further lanes, and synchronisation, which has its own.
  std::vector<uint32_t> row_of_track_;
  std::vector<std::vector<uint32_t>> lanes_;  // by row
  std::vector<FlowPoint> points_;
};

}  // namespace

std::string_view CategoryOf(Kind kind) {
  switch (kind) {
    case Kind::kOp:
    case Kind::kInput:
      return "cpu_op";
    case Kind::kStep:
    case Kind::kAnnotation:
      return "user_annotation";
    case Kind::kPythonFrame:
    case Kind::kModuleFrame:
      return "python_function";
    case Kind::kCall:
      return "cuda_runtime";
    case Kind::kSync:
      return "cuda_sync";
    case Kind::kKernel:
    case Kind::kCollective:
      return "kernel";
    case Kind::kCopy:
      return "gpu_memcpy";
    case Kind::kMemset:
      return "gpu_memset";
    case Kind::kDeviceAnnotation:
      return "gpu_user_annotation";
    case Kind::kOverhead:
      return "overhead";
    case Kind::kDeviceOp:
      return "device_op";
    case Kind::kCompile:
      return "compile";
    case Kind::kAllocation:
      return "allocation";
    case Kind::kOther:
      return "other";
  }
  return "other";
}

SpanArgs ArgsOf(const TimelineRun& run, uint32_t slice) {
  const Trace& trace = *run.input.trace;
  SpanArgs args;
  const uint32_t row = trace.slices.args[slice];
  if (row != kNoRow) {
    switch (TableOf(trace.slices.kind[slice])) {
      case ArgsTable::kOp:
        AddOpArgs(trace, trace.op_args[row], args);
        break;
      case ArgsTable::kCall:
        if (trace.call_args[row].correlation != kNoCorrelation) {
          args.emplace_back("correlation", std::to_string(trace.call_args[row].correlation));
        }
        break;
      case ArgsTable::kDevice:
        AddDeviceArgs(trace, trace.device_args[row], args);
        break;
      case ArgsTable::kFrame:
        if (trace.frame_args[row].id >= 0) {
          args.emplace_back("Python id", std::to_string(trace.frame_args[row].id));
          args.emplace_back("Python parent id", std::to_string(trace.frame_args[row].parent_id));
        }
        break;
    }
  }
  if (run.input.details) run.input.details(slice, args);
  return args;
}

std::vector<FlowPoint> FlowsOf(const TimelineRun& run, uint64_t& next_id) {
  FlowCollector flows(run, next_id);
  flows.AddFlows();
  flows.AddArrows();
  // A file with flows of its own has its launches among them.
  if (run.input.links != nullptr && run.input.trace->flows.empty()) flows.AddLaunches();
  return std::move(flows).Take();
}

std::vector<MemorySeries> MemoryOf(const TimelineRun& run) {
  const Trace& trace = *run.input.trace;
  struct State {
    int64_t bytes = 0;
    int64_t live = 0;
    MemorySeries series;
  };
  std::map<std::pair<DeviceType, int32_t>, State> devices;
  for (const Allocation& allocation : trace.allocations) {
    State& state = devices[{allocation.device_type, allocation.device}];
    state.live += allocation.bytes > 0 ? 1 : -1;
    state.bytes = allocation.total_allocated >= 0 ? allocation.total_allocated
                                                  : state.bytes + allocation.bytes;
    if (!run.Shows(allocation.time)) continue;
    state.series.points.push_back({allocation.time, state.bytes, state.live});
  }
  std::vector<MemorySeries> series;
  for (auto& [device, state] : devices) {
    state.series.device = DeviceIdOf(device.first, device.second);
    series.push_back(std::move(state.series));
  }
  return series;
}

}  // namespace stepscope
