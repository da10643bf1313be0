#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "read/nsys/event_tables.h"
#include "read/nsys/global_id.h"
#include "read/nsys/names.h"

namespace stepscope::nsys {
namespace {

template <typename T>
T Narrow(int64_t value) {
  return static_cast<T>(std::clamp<int64_t>(value, 0, std::numeric_limits<T>::max()));
}

// Node ids of several graphs in one process share the lower half; any value but 0 will do.
uint32_t GraphNode(int64_t id) {
  if (id == 0) return 0;
  const auto folded = static_cast<uint32_t>(static_cast<uint64_t>(id) ^ (id >> 32));
  return folded == 0 ? 1 : folded;
}

// The columns that all tables of device work begin with.
enum Common : int { kStart, kEnd, kDevice, kStream, kCorrelation, kPid, kNode, kFirstOwn };
#define STEPSCOPE_COMMON \
  "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphNodeId"

DeviceArgs ArgsOf(const SqliteRows& row, const TableReader& reader) {
  DeviceArgs args;
  const int64_t pid = row.Integer(kPid);
  args.correlation = reader.recording().Correlation(pid, row.Integer(kCorrelation));
  args.device = reader.recording().GpuOf(ProcessOf(pid), row.Integer(kDevice));
  args.stream = static_cast<int32_t>(row.Integer(kStream));
  args.graph_node = GraphNode(row.Integer(kNode));
  return args;
}

void Store(const SqliteRows& row, TableReader& reader, StringId name, Kind kind,
           const DeviceArgs& args, int64_t start, int64_t duration) {
  const uint32_t track =
      reader.Stream(args.device, ProcessOf(row.Integer(kPid)), row.Integer(kStream));
  BlockWriter& out = reader.out();
  out.Span(start, duration, name, track, kind, out.Args(args));
}

constexpr auto kKernelColumns = std::to_array<std::string_view>(
    {STEPSCOPE_COMMON, "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY",
     "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "mangledName"});

void ReadKernel(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, kStart, kEnd, start, duration)) return;
  DeviceArgs args = ArgsOf(row, reader);
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    args.grid[i] = Narrow<uint32_t>(row.Integer(kFirstOwn + 2 + i));
    args.block[i] = Narrow<uint16_t>(row.Integer(kFirstOwn + 5 + i));
    blocks *= args.grid[i];
  }
  args.registers = Narrow<uint16_t>(row.Integer(kFirstOwn + 8));
  args.shared_memory = Narrow<uint32_t>(row.Integer(kFirstOwn + 9) + row.Integer(kFirstOwn + 10));
  for (const Device& device : reader.recording().devices) {
    if (device.index == args.device && device.sm_count.value_or(0) > 0) {
      args.blocks_per_sm = static_cast<float>(static_cast<double>(blocks) / *device.sm_count);
    }
  }
  StringId name = reader.TextIn(row, kFirstOwn);
  if (name == kEmptyString) name = reader.TextIn(row, kFirstOwn + 1);
  if (name == kEmptyString) name = reader.TextIn(row, kFirstOwn + 11);
  if (name == kEmptyString) name = reader.out().block().strings.Intern("(unnamed)");
  Store(row, reader, name, Kind::kKernel, args, start, duration);
}

constexpr auto kCopyColumns =
    std::to_array<std::string_view>({STEPSCOPE_COMMON, "bytes", "copyKind", "srcKind", "dstKind"});

void ReadCopy(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, kStart, kEnd, start, duration)) return;
  DeviceArgs args = ArgsOf(row, reader);
  args.bytes = row.Integer(kFirstOwn, -1);
  constexpr int64_t kUnknown = 7;
  const int64_t kind = row.Integer(kFirstOwn + 1);
  const int64_t from = row.Integer(kFirstOwn + 2, kUnknown);
  const int64_t to = row.Integer(kFirstOwn + 3, kUnknown);
  const StringId name = reader.Made((kind & 0xff) | (from & 0xff) << 8 | (to & 0xff) << 16,
                                    [&] { return CopyName(kind, from, to); });
  Store(row, reader, name, Kind::kCopy, args, start, duration);
}

constexpr auto kMemsetColumns =
    std::to_array<std::string_view>({STEPSCOPE_COMMON, "bytes", "memKind"});

void ReadMemset(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, kStart, kEnd, start, duration)) return;
  DeviceArgs args = ArgsOf(row, reader);
  args.bytes = row.Integer(kFirstOwn, -1);
  constexpr int64_t kDeviceMemory = 2;
  const int64_t kind = row.Integer(kFirstOwn + 1, kDeviceMemory);
  const StringId name = reader.Made(kind, [&] { return MemsetName(kind); });
  Store(row, reader, name, Kind::kMemset, args, start, duration);
}

// In the default mode a graph is one piece of work: its kernels were not recorded.
constexpr auto kGraphColumns = std::to_array<std::string_view>({STEPSCOPE_COMMON, "graphId"});

void ReadGraph(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, kStart, kEnd, start, duration)) return;
  DeviceArgs args = ArgsOf(row, reader);
  args.graph_node = GraphNode(row.Integer(kFirstOwn, 1));
  const int64_t graph = row.Integer(kFirstOwn);
  const StringId name = reader.Made(graph, [&] { return fmt::format("CUDA graph {}", graph); });
  Store(row, reader, name, Kind::kKernel, args, start, duration);
}

constexpr auto kSyncColumns = std::to_array<std::string_view>({STEPSCOPE_COMMON, "syncType"});

void ReadSync(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, kStart, kEnd, start, duration)) return;
  DeviceArgs args = ArgsOf(row, reader);
  // It gets a row of its own, because it overlaps the kernels of its stream.
  const uint32_t track = reader.Stream(args.device, ProcessOf(row.Integer(kPid)),
                                       row.Integer(kStream), TableReader::Row::kWaits);
  BlockWriter& out = reader.out();
  const StringId name = out.block().strings.Intern(SyncName(row.Integer(kFirstOwn)));
  out.Span(start, duration, name, track, Kind::kSync, out.Args(args));
}

constexpr auto kEventColumns =
    std::to_array<std::string_view>({"timestamp", "deviceId", "streamId", "globalPid", "eventId"});

void ReadCudaEvent(const SqliteRows& row, TableReader& reader) {
  BlockWriter& out = reader.out();
  out.BeginEvent();
  const int64_t process = ProcessOf(row.Integer(3));
  const int32_t gpu = reader.recording().GpuOf(process, row.Integer(1));
  const uint32_t track = reader.Stream(gpu, process, row.Integer(2), TableReader::Row::kWaits);
  // Most recordings do not have the time of an event: what remains is that it was there.
  const std::optional<int64_t> time = TableReader::Time(row, 0);
  if (time.value_or(0) <= 0) return out.Diagnose(Diagnostic::kEventWithoutTime, "CUDA event");
  out.Instant(*time, out.block().strings.Intern("Event Record"), track);
}

constexpr auto kMetricColumns =
    std::to_array<std::string_view>({"timestamp", "typeId", "metricId", "value"});

void ReadMetric(const SqliteRows& row, TableReader& reader) {
  BlockWriter& out = reader.out();
  out.BeginEvent();
  const std::optional<int64_t> time = TableReader::Time(row, 0);
  if (!time) return out.Diagnose(Diagnostic::kEventWithoutTime, "GPU metric");
  const auto gpu = static_cast<int32_t>(row.Integer(1) & 0xff);
  const auto& names = reader.recording().metric_names;
  const auto known = names.find({row.Integer(1), row.Integer(2)});
  // GPUs of different kinds number their metrics differently.
  const int64_t key = (row.Integer(1) << 32) ^ row.Integer(2);
  const StringId name = reader.Made(key, [&] {
    return known == names.end() ? fmt::format("metric {}", row.Integer(2)) : known->second;
  });
  const StringId series = out.block().strings.Intern(fmt::format("GPU {}", gpu));
  out.Counter(*time, row.Real(3), name, series,
              reader.Stream(gpu, 0, 0, TableReader::Row::kCounters));
}

constexpr auto kMemoryColumns = std::to_array<std::string_view>(
    {"start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType"});

void ReadMemory(const SqliteRows& row, TableReader& reader) {
  BlockWriter& out = reader.out();
  out.BeginEvent();
  const std::optional<int64_t> time = TableReader::Time(row, 0);
  if (!time) return out.Diagnose(Diagnostic::kEventWithoutTime, "memory event");
  constexpr int64_t kPinned = 1;
  Allocation allocation;
  allocation.time = TimeNs{*time};
  const int64_t bytes = std::max<int64_t>(row.Integer(4), 0);
  allocation.bytes = row.Integer(6) == 0 ? bytes : -bytes;
  allocation.address = static_cast<uint64_t>(row.Integer(3));
  const int64_t process = ProcessOf(row.Integer(1));
  allocation.device = reader.recording().GpuOf(process, row.Integer(2));
  if (row.Integer(5) <= kPinned) {
    allocation.device_type = DeviceType::kCpu;
    allocation.device = 0;
  }
  allocation.event = out.event();
  allocation.track = TrackId{reader.Thread(row.Integer(1))};
  out.block().allocations.push_back(allocation);
}

// Unified memory: the GPU stops work while pages come, a thread stops while one comes back.
constexpr auto kGpuFaultColumns = std::to_array<std::string_view>(
    {"start", "end", "globalPid", "deviceId", "numberOfPageFaults"});

void ReadGpuFaults(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, 0, 1, start, duration)) return;
  const int64_t process = ProcessOf(row.Integer(2));
  const int32_t gpu = reader.recording().GpuOf(process, row.Integer(3));
  const int64_t faults = row.Integer(4);
  const StringId name = reader.Made(faults, [&] {
    return faults > 1 ? fmt::format("{} GPU page faults", faults) : "GPU page fault";
  });
  reader.out().Span(start, duration, name,
                    reader.Stream(gpu, process, 0, TableReader::Row::kFaults), Kind::kOther);
}

constexpr auto kCpuFaultColumns = std::to_array<std::string_view>({"start", "globalPid"});

void ReadCpuFault(const SqliteRows& row, TableReader& reader) {
  BlockWriter& out = reader.out();
  out.BeginEvent();
  const std::optional<int64_t> time = TableReader::Time(row, 0);
  if (!time) return out.Diagnose(Diagnostic::kEventWithoutTime, "CPU page fault");
  out.Instant(*time, out.block().strings.Intern("CPU page fault"), reader.Thread(row.Integer(1)));
}

constexpr auto kTables = std::to_array<EventTable>({
    {"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns, ReadKernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns, ReadCopy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", kMemsetColumns, ReadMemset},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kGraphColumns, ReadGraph},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSyncColumns, ReadSync},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kEventColumns, ReadCudaEvent},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS", kMemoryColumns, ReadMemory},
    {"GPU_METRICS", kMetricColumns, ReadMetric},
    {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", kGpuFaultColumns, ReadGpuFaults},
    {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", kCpuFaultColumns, ReadCpuFault},
});
#undef STEPSCOPE_COMMON

}  // namespace

std::span<const EventTable> DeviceTables() { return kTables; }

}  // namespace stepscope::nsys
