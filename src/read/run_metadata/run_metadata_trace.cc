#include "read/run_metadata/run_metadata_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "read/run_metadata/device_choice.h"
#include "read/run_metadata/run_memory.h"
#include "read/run_metadata/stats_device.h"
#include "read/xplane/host_names.h"
#include "read/xplane/planes.h"
#include "trace/event_block.h"
#include "trace/trace_builder.h"
#include "words/quality.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQualityTexts> Say;

constexpr int64_t kNsPerMicro = 1000;
// Before 1973 as epoch time: such a clock counts from the start of the run.
constexpr int64_t kEarliestEpochNs = 100'000'000'000'000'000;

using OpTypes = std::unordered_map<std::string_view, std::string_view>;

OpTypes TypesOf(const GraphDef* graph) {
  OpTypes types;
  if (graph == nullptr) return types;
  for (const NodeDef& node : graph->nodes) types.emplace(node.name, node.op);
  return types;
}

struct RowTime {
  int64_t start = 0;
  int64_t duration = 0;
};

// ns fields where they are recorded: microseconds make most ops 0 or 1 long.
RowTime TimeOf(const NodeExecStats& row) {
  if (row.all_start_nanos > 0) {
    return {row.all_start_nanos, std::max(row.all_end_rel_nanos, row.op_end_rel_nanos)};
  }
  int64_t start = 0;
  if (__builtin_mul_overflow(row.all_start_micros, kNsPerMicro, &start)) return {};
  int64_t duration = 0;
  const int64_t micros = std::max(row.all_end_rel_micros, row.op_end_rel_micros);
  if (__builtin_mul_overflow(micros, kNsPerMicro, &duration)) return {start, -1};
  return {start, duration};
}

// One RunMetadata as a block of events.
class RunReader {
 public:
  RunReader(const RunMetadata& run, size_t number, const OpTypes& types, uint64_t& next_id)
      : run_(run), number_(number), types_(types), next_id_(next_id) {}

  EventBlock Read() {
    const DeviceChoice choice = ChooseDeviceRows(run_);
    first_ = std::numeric_limits<int64_t>::max();
    last_ = std::numeric_limits<int64_t>::min();
    for (const DeviceStepStats& device : run_.devices) {
      const StatsDevice parsed = ParseStatsDevice(device.device);
      if (parsed.rows == StatsRows::kOps) ReadOps(device, parsed);
    }
    for (OpsOfNode& ops : ops_of_node_) {
      std::ranges::sort(ops.starts);
    }
    gpu_shift_ = ShiftOfGpuClock();
    for (const DeviceStepStats& device : run_.devices) {
      const StatsDevice parsed = ParseStatsDevice(device.device);
      if (parsed.rows != StatsRows::kOps) ReadGpuRows(device, parsed, choice);
    }
    if (last_ >= first_) AddStep();
    AddRunMemory(stored_, block_);
    block_.event_count = run_.rows;
    block_.diagnosed += run_.dropped_rows;
    return std::move(block_);
  }

 private:
  struct OpsOfNode {
    std::vector<std::pair<int64_t, uint64_t>> starts;  // start, external id
  };

  uint32_t TrackOf(std::string_view process, int64_t thread, TrackKind kind) {
    const auto [at, is_new] = tracks_.try_emplace({std::string(process), thread, kind},
                                                  static_cast<uint32_t>(block_.tracks.size()));
    if (is_new) {
      EventBlock::TrackKey key;
      key.process.text = block_.strings.Intern(process);
      key.thread.number = thread;
      key.kind = kind;
      block_.tracks.push_back(key);
      block_.metadata.push_back(
          {at->second, EventBlock::MetadataKey::kProcessName, key.process.text, 0});
    }
    return at->second;
  }

  uint32_t AddSpan(RowTime time, StringId name, uint32_t track, Kind kind, uint32_t event) {
    block_.start.push_back(time.start);
    block_.duration.push_back(time.duration);
    block_.name.push_back(name);
    block_.track.push_back(track);
    block_.event.push_back(event);
    block_.args.push_back(kNoRow);
    block_.kind.push_back(kind);
    block_.flags.push_back(0);
    first_ = std::min(first_, time.start);
    last_ = std::max(last_, time.start + std::max<int64_t>(time.duration, 0));
    return static_cast<uint32_t>(block_.start.size() - 1);
  }

  // Counts a row and says whether it has a time.
  bool Timed(const NodeExecStats& row, RowTime& time) {
    time = TimeOf(row);
    if (time.start > 0) return true;
    ++block_.diagnosed;
    block_.diagnostics.Add(Diagnostic::kEventWithoutTime, 1, std::nullopt, row.name);
    return false;
  }

  // "scope/node:Type", as TensorFlow's other profiles name ops.
  StringId OpName(const NodeExecStats& row) {
    std::string_view type = OpTypeOfLabel(row.label);
    if (type.empty()) {
      const auto known = types_.find(row.name);
      if (known != types_.end()) type = known->second;
    }
    if (type.empty()) return block_.strings.Intern(row.name);
    return block_.strings.Intern(fmt::format("{}:{}", row.name, type));
  }

  void ReadOps(const DeviceStepStats& device, const StatsDevice&) {
    for (const NodeExecStats& row : device.nodes) {
      const uint32_t event = event_++;
      RowTime time;
      if (!Timed(row, time)) continue;
      const uint32_t track = TrackOf(device.device, row.thread, TrackKind::kThread);
      const StringId name = OpName(row);
      const std::string_view spelt = block_.strings[name];
      const bool input = xplane::IsInputOpType(spelt.substr(spelt.rfind(':') + 1));
      const uint32_t span = AddSpan(time, name, track, input ? Kind::kInput : Kind::kOp, event);
      OpArgs args;
      args.external_id = ++next_id_;
      block_.args[span] = static_cast<uint32_t>(block_.op_args.size());
      block_.op_args.push_back(args);
      OpsOf(row.name).starts.emplace_back(time.start, args.external_id);
      stored_.push_back(
          {&row, time.start, time.start + std::max<int64_t>(time.duration, 0), name, track, event});
    }
  }

  OpsOfNode& OpsOf(std::string_view node) {
    const auto [at, is_new] = node_rows_.try_emplace(node, ops_of_node_.size());
    if (is_new) ops_of_node_.emplace_back();
    return ops_of_node_[at->second];
  }

  // The run of the node that launched what started then: the last one before it.
  uint64_t LauncherOf(std::string_view node, int64_t start) const {
    const auto at = node_rows_.find(node);
    if (at == node_rows_.end()) return 0;
    const auto& starts = ops_of_node_[at->second].starts;
    const auto after =
        std::ranges::upper_bound(starts, std::pair(start, std::numeric_limits<uint64_t>::max()));
    return after == starts.begin() ? starts.front().second : std::prev(after)->second;
  }

  // TensorFlow 2.12 to 2.19 wrote GPU rows relative to the start of the run.
  int64_t ShiftOfGpuClock() {
    if (first_ < kEarliestEpochNs || first_ == std::numeric_limits<int64_t>::max()) return 0;
    for (const DeviceStepStats& device : run_.devices) {
      if (ParseStatsDevice(device.device).rows == StatsRows::kOps) continue;
      for (const NodeExecStats& row : device.nodes) {
        const int64_t start = TimeOf(row).start;
        if (start <= 0) continue;
        if (start >= kEarliestEpochNs) return 0;
        block_.diagnostics.Say(Diagnostic::kClockUnknown, Say("quality.clock-moved"));
        return first_;
      }
    }
    return 0;
  }

  void ReadGpuRows(const DeviceStepStats& device, const StatsDevice& parsed,
                   const DeviceChoice& choice) {
    for (const NodeExecStats& row : device.nodes) {
      const uint32_t event = event_++;
      RowTime time;
      if (!Timed(row, time)) continue;
      time.start += gpu_shift_;
      const StringId name = block_.strings.Intern(row.name);
      if (parsed.rows == StatsRows::kSync) {
        const uint32_t track = TrackOf(device.device, row.thread, TrackKind::kThread);
        AddSpan(time, name, track, Kind::kSync, event);
        continue;
      }
      const Kind kind = xplane::KindOfStreamEvent(row.name);
      const bool work = choice.IsWork(parsed, kind == Kind::kCopy);
      const uint32_t track =
          TrackOf(device.device, parsed.stream, work ? TrackKind::kStream : TrackKind::kOther);
      const uint32_t span = AddSpan(time, name, track, work ? kind : Kind::kDeviceOp, event);
      if (work) AddDeviceArgs(row, parsed, span);
    }
  }

  void AddDeviceArgs(const NodeExecStats& row, const StatsDevice& parsed, uint32_t span) {
    DeviceArgs args;
    args.device = parsed.index;
    args.stream = parsed.stream;
    xplane::ReadKernelDetails(row.label, args);
    if (const auto bytes = CopiedBytes(row.label)) args.bytes = *bytes;
    const std::string_view node = NodeOfGpuRow(row.name, row.label);
    args.external_id = LauncherOf(node, block_.start[span]);
    if (args.external_id == 0) args.op = block_.strings.Intern(node);
    block_.args[span] = static_cast<uint32_t>(block_.device_args.size());
    block_.device_args.push_back(args);
  }

  // The marker stands on the row with most ops: that executor is the one that drives the run.
  void AddStep() {
    std::vector<size_t> ops(block_.tracks.size(), 0);
    for (const StoredOp& op : stored_) ++ops[op.track];
    const auto most = std::ranges::max_element(ops);
    const uint32_t track = most != ops.end() && *most > 0
                               ? static_cast<uint32_t>(most - ops.begin())
                               : TrackOf("session.run", 0, TrackKind::kThread);
    const uint32_t span = AddSpan({first_, last_ - first_}, block_.strings.Intern("session.run"),
                                  track, Kind::kStep, 0);
    OpArgs args;
    args.sequence = static_cast<int64_t>(number_);
    block_.args[span] = static_cast<uint32_t>(block_.op_args.size());
    block_.op_args.push_back(args);
  }

  using TrackNumber = std::tuple<std::string, int64_t, TrackKind>;
  const RunMetadata& run_;
  const size_t number_;
  const OpTypes& types_;
  uint64_t& next_id_;
  EventBlock block_;
  std::map<TrackNumber, uint32_t> tracks_;
  std::unordered_map<std::string_view, size_t> node_rows_;
  std::vector<OpsOfNode> ops_of_node_;
  std::vector<StoredOp> stored_;
  int64_t first_ = 0;
  int64_t last_ = 0;
  int64_t gpu_shift_ = 0;
  uint32_t event_ = 0;
};

std::vector<Device> DevicesOf(std::span<const RunMetadata> runs) {
  std::map<int32_t, Device> gpus;
  for (const RunMetadata& run : runs) {
    for (const DeviceStepStats& device : run.devices) {
      const StatsDevice parsed = ParseStatsDevice(device.device);
      if (!parsed.gpu) continue;
      Device& gpu = gpus[parsed.index];
      gpu.type = DeviceType::kGpu;
      gpu.index = parsed.index;
    }
  }
  std::vector<Device> devices;
  for (auto& [index, device] : gpus) devices.push_back(std::move(device));
  return devices;
}

}  // namespace

Trace BuildRunMetadataTrace(std::span<const RunMetadata> runs, const GraphDef* graph,
                            const std::string& path, TaskPool& pool, Diagnostics& diagnostics) {
  const OpTypes types = TypesOf(graph);
  uint64_t next_id = 0;
  TraceBuilder builder;
  EventCounts counts;
  bool epoch = false;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const DeviceStepStats& device : runs[i].devices) {
      counts.by_plane[std::string(device.device)] += device.nodes.size();
      for (const NodeExecStats& row : device.nodes) epoch |= TimeOf(row).start >= kEarliestEpochNs;
    }
    builder.Append(RunReader(runs[i], i, types, next_id).Read());
  }
  RunFacts facts;
  facts.format = Format::kRunMetadata;
  facts.framework = "TensorFlow";
  facts.has_memory = true;
  Trace trace = std::move(builder).Build(std::move(facts), DevicesOf(runs), std::move(counts),
                                         {epoch, 0}, pool, diagnostics);
  trace.facts.has_memory = !trace.allocations.empty();
  trace.path = path;
  return trace;
}

}  // namespace stepscope
