#include "read/rocpd/event_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <unordered_map>

#include "read/torch_range.h"

namespace stepscope::rocpd {
namespace {

template <typename T>
T Narrow(int64_t value) {
  return static_cast<T>(std::clamp<int64_t>(value, 0, std::numeric_limits<T>::max()));
}

// Columns that all tables of spans have, in one schema or the other.
enum Common : int {
  kStart,
  kEnd,
  kStartId,
  kEndId,
  kPid,
  kTid,
  kTrack,
  kEvent,
  kAgent,
  kQueue,
  kStream,
  kFirstOwn
};
#define STEPSCOPE_COMMON                                                                  \
  "start", "end", "start_id", "end_id", "pid", "tid", "track_id", "event_id", "agent_id", \
      "queue_id", "stream_id"

// The rows of one table of one process as events.
class TableReader {
 public:
  TableReader(const ProcessTables& process, const Gpus& gpus, TableBlock& into)
      : process_(process), gpus_(gpus), into_(into), out_(into.block) {}

  BlockWriter& out() { return out_; }
  TableBlock& block() { return into_; }
  const ProcessTables& process() const { return process_; }

  bool Timed(const SqliteRows& row, int64_t& start, int64_t& duration) {
    out_.BeginEvent();
    const std::optional<int64_t> begin = Time(row, kStart, kStartId);
    const std::optional<int64_t> end = Time(row, kEnd, kEndId);
    if (!begin || !end) {
      out_.Diagnose(Diagnostic::kEventWithoutTime);
      return false;
    }
    start = *begin;
    if (__builtin_sub_overflow(*end, *begin, &duration)) {
      out_.Diagnose(Diagnostic::kMalformedEvent, "an end that no time can have");
      return false;
    }
    return true;
  }

  std::optional<int64_t> Time(const SqliteRows& row, int direct, int by_id) const {
    if (!row.IsNull(direct)) return row.Integer(direct);
    const auto at = process_.times.find(row.Integer(by_id, -1));
    if (at == process_.times.end()) return std::nullopt;
    return at->second;
  }

  // Where an event happened: the row's own columns, or the track that it names.
  ProcessTables::Track PlaceOf(const SqliteRows& row) const {
    const auto at = process_.tracks.find(row.Integer(kTrack, -1));
    ProcessTables::Track place = at == process_.tracks.end() ? ProcessTables::Track() : at->second;
    place.process = row.Integer(kPid, place.process);
    place.thread = row.Integer(kTid, place.thread);
    place.agent = row.Integer(kAgent, place.agent);
    place.queue = row.Integer(kQueue, place.queue);
    place.stream = row.Integer(kStream, place.stream);
    return place;
  }

  int32_t GpuOf(int64_t agent) const {
    const auto at = process_.agents.find(agent);
    if (at == process_.agents.end() || !at->second.gpu) return 0;
    return gpus_.IndexOf(at->second.node, at->second.on_node);
  }
  bool IsGpu(int64_t agent) const {
    const auto at = process_.agents.find(agent);
    return at != process_.agents.end() && at->second.gpu;
  }

  uint32_t Thread(const ProcessTables::Track& place) {
    return out_.Track({place.process, place.thread, 0}, [&](EventBlock::TrackKey& key) {
      const auto pid = process_.pids.find(place.process);
      const auto tid = process_.tids.find(place.thread);
      key.process.number = pid == process_.pids.end() ? place.process : pid->second;
      key.thread.number = tid == process_.tids.end() ? place.thread : tid->second;
      const auto name = process_.thread_names.find(place.thread);
      if (name == process_.thread_names.end()) return;
      out_.Name(static_cast<uint32_t>(into_.block.tracks.size()),
                EventBlock::MetadataKey::kThreadName, process_.texts[name->second]);
    });
  }

  // Rows are queues, which the hardware had; streams are what the program asked for. Several
  // processes on one GPU keep their queues apart.
  uint32_t Queue(int32_t gpu, int64_t queue, bool copies) {
    const auto sort = static_cast<uint8_t>(copies ? 2 : 1);
    return out_.Track({gpu, copies ? 0 : queue, sort}, [&](EventBlock::TrackKey& key) {
      key.process.text = out_.Intern(fmt::format("GPU {}", gpu));
      std::string name = copies ? std::string("copies") : fmt::format("queue {}", queue);
      if (process_.number > 0) name += fmt::format(" of process {}", process_.number + 1);
      key.thread.text = out_.Intern(name);
      key.kind = TrackKind::kStream;
    });
  }

  StringId Text(StringId of_process) { return out_.block().strings.Intern(TextOf(of_process)); }
  std::string_view TextOf(StringId of_process) const { return process_.texts[of_process]; }

 private:
  const ProcessTables& process_;
  const Gpus& gpus_;
  TableBlock& into_;
  BlockWriter out_;
};

template <typename Store>
void ReadRows(const SqliteFile& file, const SqliteFile::Table& table,
              std::span<const std::string_view> columns, TableBlock& into, Store store) {
  Result<SqliteRows> rows = file.Read(table, columns);
  if (!rows) {
    into.fault = std::move(rows.error());
    return;
  }
  while (rows->Next()) store(*rows);
  into.fault = rows->fault();
}

void ReadDispatches(const SqliteFile& file, const SqliteFile::Table& table,
                    const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  constexpr auto kColumns = std::to_array<std::string_view>(
      {STEPSCOPE_COMMON, "kernel_id", "group_segment_size", "workgroup_size_x", "workgroup_size_y",
       "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z"});
  TableReader reader(process, gpus, into);
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!reader.Timed(row, start, duration)) return;
    const ProcessTables::Track place = reader.PlaceOf(row);
    DeviceArgs args;
    args.correlation = process.CorrelationOf(row.Integer(kEvent, -1));
    args.device = reader.GpuOf(place.agent);
    args.stream = Narrow<int32_t>(place.stream);
    args.shared_memory = Narrow<uint32_t>(row.Integer(kFirstOwn + 1));
    for (int i = 0; i < 3; ++i) {
      args.block[i] = Narrow<uint16_t>(row.Integer(kFirstOwn + 2 + i));
      // The grid counts work-items, not blocks.
      const int64_t items = std::max<int64_t>(row.Integer(kFirstOwn + 5 + i), 0);
      const int64_t block = std::max<int64_t>(args.block[i], 1);
      args.grid[i] = Narrow<uint32_t>(items / block + (items % block != 0 ? 1 : 0));
    }
    StringId name = kEmptyString;
    const auto kernel = process.kernels.find(row.Integer(kFirstOwn, -1));
    if (kernel != process.kernels.end()) {
      name = reader.Text(kernel->second.name);
      args.registers = Narrow<uint16_t>(kernel->second.registers);
    }
    if (name == kEmptyString) name = reader.out().block().strings.Intern("unknown kernel");
    BlockWriter& out = reader.out();
    out.Span(start, duration, name, reader.Queue(args.device, place.queue, false), Kind::kKernel,
             out.Args(args));
  });
}

void ReadCopies(const SqliteFile& file, const SqliteFile::Table& table,
                const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({STEPSCOPE_COMMON, "src_agent_id", "dst_agent_id", "size"});
  TableReader reader(process, gpus, into);
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!reader.Timed(row, start, duration)) return;
    const int64_t from = row.Integer(kFirstOwn, -1), to = row.Integer(kFirstOwn + 1, -1);
    DeviceArgs args;
    args.correlation = process.CorrelationOf(row.Integer(kEvent, -1));
    args.device = reader.GpuOf(reader.IsGpu(to) ? to : from);
    args.stream = Narrow<int32_t>(reader.PlaceOf(row).stream);
    args.bytes = row.Integer(kFirstOwn + 2, -1);
    BlockWriter& out = reader.out();
    const StringId name = out.block().strings.Intern(
        fmt::format("Memcpy {}to{}", reader.IsGpu(from) ? 'D' : 'H', reader.IsGpu(to) ? 'D' : 'H'));
    out.Span(start, duration, name, reader.Queue(args.device, 0, true), Kind::kCopy,
             out.Args(args));
  });
}

// What the category of a region says: "HIP_RUNTIME_API_EXT", "MARKER_CORE_RANGE_API".
Kind KindOfRegion(std::string_view category) {
  const auto has = [&](std::string_view word) {
    return std::ranges::search(category, word, [](char a, char b) {
             return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b;
           }).begin() != category.end();
  };
  if (has("HIP") || has("HSA")) return Kind::kCall;
  if (has("MARKER") || has("ROCTX") || has("RCCL") || has("USER")) return Kind::kAnnotation;
  return Kind::kOther;
}

void ReadRegions(const SqliteFile& file, const SqliteFile::Table& table,
                 const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  constexpr auto kColumns = std::to_array<std::string_view>({STEPSCOPE_COMMON, "name_id"});
  TableReader reader(process, gpus, into);
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!reader.Timed(row, start, duration)) return;
    BlockWriter& out = reader.out();
    std::string_view text = process.Text(row.Integer(kFirstOwn, -1));
    Kind kind = Kind::kOther;
    const auto event = process.events.find(row.Integer(kEvent, -1));
    if (event != process.events.end()) {
      kind = KindOfRegion(process.Text(event->second.category));
      const bool named = event->second.message != kEmptyString;
      if (kind == Kind::kAnnotation && named) text = reader.TextOf(event->second.message);
    }
    StringId name = out.block().strings.Intern(text.empty() ? "(unnamed)" : text);
    uint32_t args = kNoRow;
    if (kind == Kind::kCall) {
      CallArgs call;
      call.correlation = process.CorrelationOf(row.Integer(kEvent, -1));
      args = out.Args(call);
    } else if (kind == Kind::kAnnotation) {
      if (const std::optional<TorchRange> range = TorchRangeOf(text)) {
        into.torch_ranges = true;
        into.shapes |= !range->sizes.empty();
        name = out.Intern(range->op);
        kind = Kind::kOp;
        args = out.Args(ArgsOf(*range, out));
      }
    }
    out.Span(start, duration, name, reader.Thread(reader.PlaceOf(row)), kind, args);
  });
}

// A free does not say how much it gives back: the allocation at its address did.
void ReadAllocations(const SqliteFile& file, const SqliteFile::Table& table,
                     const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({STEPSCOPE_COMMON, "type", "address", "size"});
  TableReader reader(process, gpus, into);
  std::unordered_map<int64_t, int64_t> held;
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!reader.Timed(row, start, duration)) return;
    const std::string_view type = row.Text(kFirstOwn);
    const int64_t address = row.Integer(kFirstOwn + 1);
    int64_t bytes = std::max<int64_t>(row.Integer(kFirstOwn + 2), 0);
    const bool takes = type == "ALLOC" || type == "REALLOC";
    if (takes) {
      held[address] = bytes;
    } else {
      const auto at = held.find(address);
      if (bytes == 0 && at != held.end()) bytes = at->second;
      if (at != held.end()) held.erase(at);
    }
    const ProcessTables::Track place = reader.PlaceOf(row);
    Allocation allocation;
    allocation.time = TimeNs{start};
    allocation.bytes = takes ? bytes : -bytes;
    allocation.address = static_cast<uint64_t>(address);
    allocation.device = reader.GpuOf(place.agent);
    if (!reader.IsGpu(place.agent)) allocation.device_type = DeviceType::kCpu;
    allocation.event = reader.out().event();
    allocation.track = TrackId{reader.Thread(place)};
    into.block.allocations.push_back(allocation);
  });
}

// A counter has the time of the dispatch or the sample that it belongs to.
void ReadCounters(const SqliteFile& file, const SqliteFile::Table& table,
                  const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  TableReader reader(process, gpus, into);
  std::unordered_map<int64_t, int64_t> time_of;
  for (const std::string_view owner : {"rocpd_kernel_dispatch", "rocpd_sample"}) {
    const SqliteFile::Table* owners = file.Find(process.Table(owner));
    if (owners == nullptr) continue;
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"start", "timestamp", "start_id", "timestamp_id", "event_id"});
    Result<SqliteRows> rows = file.Read(*owners, kColumns);
    while (rows && rows->Next()) {
      std::optional<int64_t> time = reader.Time(*rows, 0, 2);
      if (!time) time = reader.Time(*rows, 1, 3);
      if (time) time_of[rows->Integer(4, -1)] = *time;
    }
  }
  constexpr auto kColumns = std::to_array<std::string_view>({"event_id", "pmc_id", "value"});
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    BlockWriter& out = reader.out();
    out.BeginEvent();
    const auto time = time_of.find(row.Integer(0, -1));
    if (time == time_of.end()) return out.Diagnose(Diagnostic::kEventWithoutTime, "counter");
    const auto counter = process.counters.find(row.Integer(1, -1));
    const bool known = counter != process.counters.end();
    const int32_t gpu = known ? reader.GpuOf(counter->second.agent) : 0;
    const StringId name = known ? reader.Text(counter->second.name)
                                : out.Intern(fmt::format("counter {}", row.Integer(1)));
    const uint32_t track = out.Track({gpu, 0, 3}, [&](EventBlock::TrackKey& key) {
      key.process.text = out.Intern(fmt::format("GPU {}", gpu));
      key.kind = TrackKind::kOther;
      key.scope = out.Intern("counters");
    });
    out.Counter(time->second, row.Real(2), name, out.Intern(fmt::format("GPU {}", gpu)), track);
  });
}

void ReadSamples(const SqliteFile& file, const SqliteFile::Table& table,
                 const ProcessTables& process, const Gpus& gpus, TableBlock& into) {
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"timestamp", "end", "timestamp_id", "end_id", "pid", "tid", "track_id", "event_id",
       "agent_id", "queue_id", "stream_id"});
  TableReader reader(process, gpus, into);
  ReadRows(file, table, kColumns, into, [&](const SqliteRows& row) {
    BlockWriter& out = reader.out();
    out.BeginEvent();
    const std::optional<int64_t> time = reader.Time(row, kStart, kStartId);
    if (!time) return out.Diagnose(Diagnostic::kEventWithoutTime, "sample");
    const ProcessTables::Track place = reader.PlaceOf(row);
    const std::string_view name = process.Text(place.name);
    out.Instant(*time, out.block().strings.Intern(name.empty() ? "sample" : name),
                reader.Thread(place));
  });
}
#undef STEPSCOPE_COMMON

constexpr auto kTables = std::to_array<EventTable>({
    {"rocpd_kernel_dispatch", ReadDispatches},
    {"rocpd_memory_copy", ReadCopies},
    {"rocpd_region", ReadRegions},
    {"rocpd_memory_allocate", ReadAllocations},
    {"rocpd_pmc_event", ReadCounters},
    {"rocpd_sample", ReadSamples},
});

}  // namespace

std::span<const EventTable> EventTables() { return kTables; }

bool IsDescription(std::string_view name) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"rocpd_metadata", "rocpd_string", "rocpd_track",
                                       "rocpd_timestamp", "rocpd_event", "rocpd_arg"});
  return name.starts_with("rocpd_info_") || name.starts_with("sqlite_") ||
         std::ranges::any_of(kNames, [&](std::string_view known) { return name == known; });
}

}  // namespace stepscope::rocpd
