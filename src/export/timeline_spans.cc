#include "export/timeline_spans.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "present/json_writer.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter(out).Value(text);
  return out;
}

// Shapes and types are JSON already where the file was.
std::string ArrayOrText(std::string_view text) {
  const bool array = text.starts_with('[') && text.ends_with(']') &&
                     text.find_first_not_of(
                         "[]0123456789,-.\"abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ :<>_()") == std::string_view::npos;
  return array ? std::string(text) : Quoted(text);
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
    args.emplace_back("Call stack", Quoted(trace.strings[op.stack]));
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
  if (device.op != kEmptyString) args.emplace_back("op", Quoted(trace.strings[device.op]));
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
  const Trace& trace = *run.input.trace;
  std::vector<FlowPoint> points;
  std::unordered_map<uint64_t, uint64_t> ids;
  const std::unordered_set<uint64_t> cut = CutFlows(run);
  for (const Flow& flow : trace.flows) {
    if (!run.Shows(flow.time) || flow.track == kNoTrack || cut.contains(flow.id)) continue;
    const auto [id, added] = ids.try_emplace(flow.id, next_id);
    if (added) ++next_id;
    points.push_back({id->second, flow.time, flow.track, flow.phase, trace.strings[flow.name]});
  }
  for (const FlowArrow& arrow : run.input.arrows) {
    if (!run.Shows(arrow.from_time) || !run.Shows(arrow.to_time)) continue;
    points.push_back({next_id, arrow.from_time, arrow.from_track, FlowPhase::kStart, arrow.name});
    points.push_back({next_id++, arrow.to_time, arrow.to_track, FlowPhase::kEnd, arrow.name});
  }
  // A file with flows of its own has its launches among them.
  if (run.input.links == nullptr || !trace.flows.empty()) return points;
  const Links& links = *run.input.links;
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const uint32_t work = trace.device_args[row].slice;
    SliceId cause = row < links.launch_of.size() ? links.launch_of[row] : kNoSlice;
    if (cause == kNoSlice && row < links.op_of.size()) cause = links.op_of[row];
    if (cause == kNoSlice || work == kNoRow) continue;
    if (!run.Shows(Index(cause)) || !run.Shows(work)) continue;
    points.push_back({next_id, trace.slices.start[Index(cause)], trace.TrackOf(Index(cause)),
                      FlowPhase::kStart, "launch"});
    points.push_back(
        {next_id++, trace.slices.start[work], trace.TrackOf(work), FlowPhase::kEnd, "launch"});
  }
  return points;
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
