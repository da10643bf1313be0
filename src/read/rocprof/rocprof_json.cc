#include "read/rocprof/rocprof_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <vector>

#include "read/block_writer.h"
#include "read/chrome_json/json_value.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using chrome_json::JsonWalk;

int64_t NumberOf(const JsonWalk& walk) {
  const std::string_view digits = walk.scalar();
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// {"handle": 5}.
int64_t HandleOf(std::string_view object) {
  for (JsonWalk walk(object); walk.Next();) {
    if (walk.Is("handle") || walk.Is("internal")) return NumberOf(walk);
  }
  return 0;
}

template <typename T>
void ReadSizes(std::string_view object, T (&sizes)[3]) {
  for (JsonWalk walk(object); walk.Next();) {
    const int index = walk.Is("x") ? 0 : walk.Is("y") ? 1 : walk.Is("z") ? 2 : -1;
    if (index < 0) continue;
    sizes[index] =
        static_cast<T>(std::clamp<int64_t>(NumberOf(walk), 0, std::numeric_limits<T>::max()));
  }
}

struct Record {
  int64_t kind = 0;
  int64_t operation = 0;
  int64_t thread = 0;
  int64_t correlation = 0;
  int64_t start = 0;
  int64_t end = 0;
  bool timed = false;
  int64_t agent = 0;
  int64_t queue = 0;
  int64_t stream = 0;
  int64_t kernel = 0;
  int64_t bytes = -1;
  int64_t from = 0;
  int64_t to = 0;
  uint32_t grid[3] = {0, 0, 0};
  uint16_t block[3] = {0, 0, 0};
  int64_t shared_memory = 0;
};

void ReadDispatch(std::string_view object, Record& record) {
  for (JsonWalk walk(object); walk.Next();) {
    if (walk.Is("agent_id")) record.agent = HandleOf(walk.value());
    if (walk.Is("queue_id")) record.queue = HandleOf(walk.value());
    if (walk.Is("kernel_id")) record.kernel = NumberOf(walk);
    if (walk.Is("group_segment_size")) record.shared_memory = NumberOf(walk);
    if (walk.Is("workgroup_size")) ReadSizes(walk.value(), record.block);
    if (walk.Is("grid_size")) ReadSizes(walk.value(), record.grid);
  }
}

Record ReadRecord(std::string_view object) {
  Record record;
  bool start = false;
  for (JsonWalk walk(object); walk.Next();) {
    if (walk.Is("kind")) record.kind = NumberOf(walk);
    if (walk.Is("operation")) record.operation = NumberOf(walk);
    if (walk.Is("thread_id")) record.thread = NumberOf(walk);
    if (walk.Is("correlation_id")) record.correlation = HandleOf(walk.value());
    if (walk.Is("start_timestamp")) {
      record.start = NumberOf(walk);
      start = true;
    }
    if (walk.Is("end_timestamp")) {
      record.end = NumberOf(walk);
      record.timed = start;
    }
    if (walk.Is("dispatch_info")) ReadDispatch(walk.value(), record);
    if (walk.Is("stream_id")) record.stream = HandleOf(walk.value());
    if (walk.Is("bytes")) record.bytes = NumberOf(walk);
    if (walk.Is("src_agent_id")) record.from = HandleOf(walk.value());
    if (walk.Is("dst_agent_id")) record.to = HandleOf(walk.value());
  }
  // The grid counts work-items, not blocks.
  for (int i = 0; i < 3; ++i) {
    if (record.block[i] > 0)
      record.grid[i] = (record.grid[i] + record.block[i] - 1u) / record.block[i];
  }
  return record;
}

struct RecordTable {
  std::string_view name;
  Kind kind;
};
constexpr auto kTables = std::to_array<RecordTable>({
    {"kernel_dispatch", Kind::kKernel},
    {"memory_copy", Kind::kCopy},
    {"hip_api", Kind::kCall},
    {"hsa_api", Kind::kCall},
    {"marker_api", Kind::kAnnotation},
    {"rccl_api", Kind::kAnnotation},
    {"memory_allocation", Kind::kOther},
    {"scratch_memory", Kind::kOther},
    {"rocdecode_api", Kind::kOther},
    {"rocjpeg_api", Kind::kOther},
});

class ToolReader {
 public:
  ToolReader(EventBlock& block, std::vector<Device>& devices, EventCounts& counts)
      : out_(block), devices_(devices), counts_(counts) {}

  void Read(std::string_view tool) {
    std::string_view records;
    for (JsonWalk walk(tool); walk.Next();) {
      if (walk.Is("metadata")) ReadMetadata(walk.value());
      if (walk.Is("agents")) ReadAgents(walk.value());
      if (walk.Is("kernel_symbols")) ReadKernels(walk.value());
      if (walk.Is("strings")) ReadStrings(walk.value());
      if (walk.Is("buffer_records")) records = walk.value();
    }
    for (JsonWalk walk(records); walk.Next();) {
      const auto table = std::ranges::find(kTables, walk.key().view(), &RecordTable::name);
      for (JsonWalk rows(walk.value()); rows.Next();) {
        ++counts_.by_plane[std::string(walk.key().view())];
        out_.BeginEvent();
        if (table == kTables.end()) {
          out_.Diagnose(Diagnostic::kUnknownPhase, walk.key().view());
        } else {
          Store(ReadRecord(rows.value()), table->kind);
        }
      }
    }
  }

 private:
  struct Agent {
    bool gpu = false;
    int32_t index = 0;
  };

  void ReadMetadata(std::string_view object) {
    for (JsonWalk walk(object); walk.Next();) {
      if (walk.Is("pid")) pid_ = NumberOf(walk);
    }
  }

  void ReadAgents(std::string_view array) {
    constexpr int64_t kGpuType = 2;
    for (JsonWalk item(array); item.Next();) {
      int64_t handle = 0, type = 0, index = -1, units = 0;
      std::string name;
      for (JsonWalk walk(item.value()); walk.Next();) {
        if (walk.Is("id")) handle = HandleOf(walk.value());
        if (walk.Is("type")) type = NumberOf(walk);
        if (walk.Is("logical_node_type_id")) index = NumberOf(walk);
        if (walk.Is("cu_count")) units = NumberOf(walk);
        if (walk.Is("product_name")) name = walk.String();
      }
      if (type != kGpuType) continue;
      const auto number = static_cast<int32_t>(std::clamp<int64_t>(index, 0, INT32_MAX));
      agents_[handle] = {true, number};
      Device device;
      device.index = number;
      device.name = std::move(name);
      if (units > 0) device.sm_count = static_cast<int32_t>(std::min<int64_t>(units, INT32_MAX));
      described_[number] = std::move(device);
    }
  }

  void ReadKernels(std::string_view array) {
    for (JsonWalk item(array); item.Next();) {
      int64_t id = 0;
      std::string name;
      for (JsonWalk walk(item.value()); walk.Next();) {
        if (walk.Is("kernel_id")) id = NumberOf(walk);
        if (walk.Is("formatted_kernel_name")) name = walk.String();
        if (walk.Is("kernel_name") && name.empty()) name = walk.String();
      }
      kernels_[id] = out_.Intern(name);
    }
  }

  void ReadStrings(std::string_view object) {
    for (JsonWalk walk(object); walk.Next();) {
      if (walk.Is("marker_api")) {
        for (JsonWalk item(walk.value()); item.Next();) ReadMarker(item.value());
      }
      if (!walk.Is("buffer_records")) continue;
      int64_t kind = 0;
      for (JsonWalk item(walk.value()); item.Next(); ++kind) {
        for (JsonWalk member(item.value()); member.Next();) {
          if (!member.Is("operations")) continue;
          int64_t operation = 0;
          for (JsonWalk name(member.value()); name.Next(); ++operation) {
            operations_[kind << 32 | operation] = out_.Intern(name.String());
          }
        }
      }
    }
  }

  // What a roctx range was called, by its correlation.
  void ReadMarker(std::string_view object) {
    int64_t key = 0;
    StringId value = kEmptyString;
    for (JsonWalk walk(object); walk.Next();) {
      if (walk.Is("key")) key = NumberOf(walk);
      if (walk.Is("value")) value = out_.Intern(walk.String());
    }
    markers_[key] = value;
  }

  StringId NameOf(const Record& record, Kind kind) {
    if (kind == Kind::kKernel) return kernels_[record.kernel];
    if (kind == Kind::kAnnotation) {
      const auto marker = markers_.find(record.correlation);
      if (marker != markers_.end() && marker->second != kEmptyString) return marker->second;
    }
    if (kind == Kind::kCopy) {
      const bool from = agents_.contains(record.from), to = agents_.contains(record.to);
      return out_.Intern(fmt::format("Memcpy {}to{}", from ? 'D' : 'H', to ? 'D' : 'H'));
    }
    return operations_[record.kind << 32 | record.operation];
  }

  void Store(const Record& record, Kind kind) {
    int64_t duration = 0;
    if (!record.timed) return out_.Diagnose(Diagnostic::kEventWithoutTime);
    if (__builtin_sub_overflow(record.end, record.start, &duration)) {
      return out_.Diagnose(Diagnostic::kMalformedEvent);
    }
    const StringId name = NameOf(record, kind);
    if (kind == Kind::kKernel || kind == Kind::kCopy) {
      DeviceArgs args;
      args.correlation = static_cast<uint64_t>(record.correlation);
      const int64_t agent = kind == Kind::kKernel         ? record.agent
                            : agents_.contains(record.to) ? record.to
                                                          : record.from;
      args.device = agents_[agent].index;
      args.stream = static_cast<int32_t>(record.stream & 0x7fffffff);
      args.bytes = record.bytes;
      std::copy(record.grid, record.grid + 3, args.grid);
      std::copy(record.block, record.block + 3, args.block);
      args.shared_memory =
          static_cast<uint32_t>(std::clamp<int64_t>(record.shared_memory, 0, UINT32_MAX));
      UseDevice(args.device);
      // Streams are what the program asked for, queues what the hardware had.
      const bool copy = kind == Kind::kCopy;
      const int64_t row = copy ? -1 : record.queue;
      const uint32_t track = out_.Track({args.device, row, 1}, [&](EventBlock::TrackKey& key) {
        key.process.text = out_.Intern(fmt::format("GPU {}", args.device));
        key.thread.text = out_.Intern(copy ? std::string("copies") : fmt::format("queue {}", row));
        key.kind = TrackKind::kStream;
      });
      return out_.Span(record.start, duration, name, track, kind, out_.Args(args));
    }
    const uint32_t track = out_.Track({pid_, record.thread, 0}, [&](EventBlock::TrackKey& key) {
      key.process.number = pid_;
      key.thread.number = record.thread;
    });
    uint32_t args = kNoRow;
    if (kind == Kind::kCall) {
      CallArgs call;
      call.correlation = static_cast<uint64_t>(record.correlation);
      args = out_.Args(call);
    }
    out_.Span(record.start, duration, name, track, kind, args);
  }

  void UseDevice(int32_t index) {
    const auto at = described_.find(index);
    if (at == described_.end()) return;
    devices_.push_back(std::move(at->second));
    described_.erase(at);
  }

  BlockWriter out_;
  std::vector<Device>& devices_;
  EventCounts& counts_;
  int64_t pid_ = 0;
  std::unordered_map<int64_t, Agent> agents_;
  std::unordered_map<int32_t, Device> described_;
  std::unordered_map<int64_t, StringId> kernels_;
  std::unordered_map<int64_t, StringId> operations_;
  std::unordered_map<int64_t, StringId> markers_;
};

}  // namespace

Result<Trace> ReadRocprofJson(std::string_view text, const std::string& path, TaskPool& pool,
                              Diagnostics& diagnostics) {
  TraceBuilder builder;
  EventCounts counts;
  std::vector<Device> devices;
  for (JsonWalk walk(text); walk.Next();) {
    if (!walk.Is("rocprofiler-sdk-tool")) continue;
    for (JsonWalk tool(walk.value()); tool.Next();) {
      EventBlock block;
      ToolReader(block, devices, counts).Read(tool.value());
      builder.Append(std::move(block));
    }
  }
  if (builder.events_so_far() == 0) {
    return Fail(ErrorCode::kDamaged, Say("read.rocprof-cut"), path, Say("read.rocprof-again"));
  }
  RunFacts facts;
  facts.format = Format::kRocprof;
  Trace trace = std::move(builder).Build(std::move(facts), std::move(devices), std::move(counts),
                                         {}, pool, diagnostics);
  trace.path = path;
  return trace;
}

}  // namespace stepscope
