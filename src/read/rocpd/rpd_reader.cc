#include "read/rocpd/rpd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "read/block_writer.h"
#include "read/sqlite_tables.h"
#include "read/torch_range.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

// Tables that describe the others, or repeat them for other tools.
constexpr auto kDescriptions = std::to_array<std::string_view>(
    {"rocpd_string", "rocpd_metadata", "rocpd_api_ops", "rocpd_kernelapi", "rocpd_copyapi",
     "rocpd_kernelop", "rocpd_copyop", "rocpd_barrierop", "rocpd_op_inputSignals",
     "rocpd_kernelcodeobject", "rocpd_ustring", "rocpd_stackframe"});

template <typename T>
T Narrow(int64_t value) {
  return static_cast<T>(std::clamp<int64_t>(value, 0, std::numeric_limits<T>::max()));
}

// "KernelExecution", "CopyHostToDevice", "FillBuffer", "Barrier".
Kind KindOfWork(std::string_view type) {
  const auto has = [&](std::string_view word) { return type.find(word) != type.npos; };
  if (has("Copy")) return Kind::kCopy;
  if (has("Fill")) return Kind::kMemset;
  if (has("Barrier") || has("Marker")) return Kind::kSync;
  return Kind::kKernel;
}

std::string NameOfCopy(std::string_view type) {
  const bool to_host = type.ends_with("ToHost");
  const bool from_host = type.find("HostTo") != type.npos;
  if (type.find("To") == type.npos) return std::string(type);
  return fmt::format("Memcpy {}to{}", from_host ? 'H' : 'D', to_host ? 'H' : 'D');
}

class RpdReader {
 public:
  RpdReader(const SqliteFile& file, EventBlock& block, EventCounts& counts,
            Diagnostics& diagnostics)
      : file_(file), out_(block), counts_(counts), diagnostics_(diagnostics) {}

  void Read() {
    Rows("rocpd_string", {"id", "string"},
         [&](const SqliteRows& row) { strings_[row.Integer(0)] = out_.Intern(row.Text(1)); });
    Rows("rocpd_api_ops", {"api_id", "op_id"},
         [&](const SqliteRows& row) { call_of_[row.Integer(1)] = row.Integer(0); });
    Rows("rocpd_kernelapi",
         {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
          "groupSegmentSize"},
         [&](const SqliteRows& row) { ReadLaunch(row); });
    Rows("rocpd_copyapi", {"api_ptr_id", "size"},
         [&](const SqliteRows& row) { bytes_of_[row.Integer(0)] = row.Integer(1, -1); });
    Rows("rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"},
         [&](const SqliteRows& row) { Count("rocpd_api"), ReadCall(row); });
    Rows("rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"},
         [&](const SqliteRows& row) { Count("rocpd_op"), ReadWork(row); });
    Rows("rocpd_monitor", {"deviceType", "deviceId", "monitorType", "start", "value"},
         [&](const SqliteRows& row) { Count("rocpd_monitor"), ReadSensor(row); });
    SkipOthers();
  }

  bool torch_ranges() const { return torch_ranges_; }
  bool shapes() const { return shapes_; }
  const std::set<int32_t>& gpus() const { return gpus_; }

 private:
  struct Launch {
    uint32_t grid[3] = {0, 0, 0};
    uint16_t block[3] = {0, 0, 0};
    uint32_t shared_memory = 0;
  };

  template <typename Visit>
  void Rows(std::string_view table, std::initializer_list<std::string_view> columns, Visit visit) {
    if (ForEachRow(file_, table, columns, visit)) {
      diagnostics_.Add(Diagnostic::kDatabaseDamaged, 1, std::nullopt, std::string(table));
    }
  }

  void Count(const char* table) {
    ++counts_.by_plane[table];
    out_.BeginEvent();
  }

  void SkipOthers() {
    for (const SqliteFile::Table& table : file_.tables()) {
      const bool known = table.name == "rocpd_api" || table.name == "rocpd_op" ||
                         table.name == "rocpd_monitor" || table.name.starts_with("sqlite_") ||
                         std::ranges::find(kDescriptions, table.name) != kDescriptions.end();
      if (!known && !file_.IsEmpty(table)) {
        diagnostics_.Add(Diagnostic::kTableSkipped, 1, std::nullopt, table.name);
      }
    }
  }

  StringId String(int64_t id) const {
    const auto at = strings_.find(id);
    return at == strings_.end() ? kEmptyString : at->second;
  }
  std::string_view Text(int64_t id) { return out_.block().strings[String(id)]; }

  void ReadLaunch(const SqliteRows& row) {
    Launch launch;
    for (int i = 0; i < 3; ++i) {
      launch.grid[i] = Narrow<uint32_t>(row.Integer(1 + i));
      launch.block[i] = Narrow<uint16_t>(row.Integer(4 + i));
    }
    launch.shared_memory = Narrow<uint32_t>(row.Integer(7));
    launches_[row.Integer(0)] = launch;
  }

  bool Timed(const SqliteRows& row, int start, int end, int64_t& begin, int64_t& duration) {
    if (row.IsNull(start) || row.IsNull(end)) {
      out_.Diagnose(Diagnostic::kEventWithoutTime);
      return false;
    }
    begin = row.Integer(start);
    if (__builtin_sub_overflow(row.Integer(end), begin, &duration)) {
      out_.Diagnose(Diagnostic::kMalformedEvent, "an end that no time can have");
      return false;
    }
    return true;
  }

  void ReadCall(const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!Timed(row, 3, 4, start, duration)) return;
    const int64_t pid = row.Integer(1), tid = row.Integer(2);
    const uint32_t track = out_.Track({pid, tid, 0}, [&](EventBlock::TrackKey& key) {
      key.process.number = pid;
      key.thread.number = tid;
    });
    const std::string_view call = Text(row.Integer(5, -1));
    if (call.starts_with("hip") || call.starts_with("hsa")) {
      CallArgs args;
      args.correlation = static_cast<uint64_t>(row.Integer(0));
      return out_.Span(start, duration, String(row.Integer(5, -1)), track, Kind::kCall,
                       out_.Args(args));
    }
    // Ranges of the program: the name says where they come from, the arguments what they are.
    StringId name = String(row.Integer(6, -1));
    if (name == kEmptyString) name = String(row.Integer(5, -1));
    const std::string text(out_.block().strings[name]);
    if (const std::optional<TorchRange> range = TorchRangeOf(text)) {
      torch_ranges_ = true;
      shapes_ |= !range->sizes.empty();
      return out_.Span(start, duration, out_.Intern(range->op), track, Kind::kOp,
                       out_.Args(ArgsOf(*range, out_)));
    }
    out_.Span(start, duration, name, track, Kind::kAnnotation);
  }

  void ReadWork(const SqliteRows& row) {
    int64_t start = 0, duration = 0;
    if (!Timed(row, 3, 4, start, duration)) return;
    const std::string type(Text(row.Integer(6, -1)));
    const Kind kind = KindOfWork(type);
    DeviceArgs args;
    args.device = Narrow<int32_t>(row.Integer(1));
    args.stream = Narrow<int32_t>(row.Integer(2));
    gpus_.insert(args.device);
    if (const auto call = call_of_.find(row.Integer(0)); call != call_of_.end()) {
      args.correlation = static_cast<uint64_t>(call->second);
      if (const auto bytes = bytes_of_.find(call->second); bytes != bytes_of_.end()) {
        args.bytes = bytes->second;
      }
      const auto launch = launches_.find(call->second);
      if (kind == Kind::kKernel && launch != launches_.end()) {
        std::ranges::copy(launch->second.grid, args.grid);
        std::ranges::copy(launch->second.block, args.block);
        args.shared_memory = launch->second.shared_memory;
      }
    }
    StringId name = String(row.Integer(5, -1));
    if (kind == Kind::kCopy) name = out_.Intern(NameOfCopy(type));
    if (name == kEmptyString) name = out_.Intern(type.empty() ? std::string("(unnamed)") : type);
    const uint32_t track =
        out_.Track({args.device, args.stream, 1}, [&](EventBlock::TrackKey& key) {
          key.process.text = out_.Intern(fmt::format("GPU {}", args.device));
          key.thread.text = out_.Intern(fmt::format("queue {}", args.stream));
          key.kind = TrackKind::kStream;
        });
    out_.Span(start, duration, name, track, kind, out_.Args(args));
  }

  // A value of a sensor, which the file has as text.
  void ReadSensor(const SqliteRows& row) {
    if (row.IsNull(3)) return out_.Diagnose(Diagnostic::kEventWithoutTime, "sensor");
    const std::string_view text = row.Text(4);
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      return out_.Diagnose(Diagnostic::kMalformedEvent, "a sensor's value is no number");
    }
    const StringId place = out_.Intern(fmt::format("{} {}", row.Text(0), row.Integer(1)));
    const uint32_t track = out_.Track({row.Integer(1), 0, 2}, [&](EventBlock::TrackKey& key) {
      key.process.text = place;
      key.kind = TrackKind::kOther;
      key.scope = out_.Intern("counters");
    });
    out_.Counter(row.Integer(3), value, out_.Intern(row.Text(2)), place, track);
  }

  const SqliteFile& file_;
  BlockWriter out_;
  EventCounts& counts_;
  Diagnostics& diagnostics_;
  std::unordered_map<int64_t, StringId> strings_;
  std::unordered_map<int64_t, int64_t> call_of_;  // op to call
  std::unordered_map<int64_t, Launch> launches_;  // by call
  std::unordered_map<int64_t, int64_t> bytes_of_;
  std::set<int32_t> gpus_;
  bool torch_ranges_ = false;
  bool shapes_ = false;
};

}  // namespace

bool IsRpd(const SqliteFile& file) {
  return file.Find("rocpd_api") != nullptr && file.Find("rocpd_op") != nullptr &&
         file.Find("rocpd_string") != nullptr;
}

std::vector<const SqliteFile::Table*> RpdEventTables(const SqliteFile& file) {
  std::vector<const SqliteFile::Table*> tables;
  for (const std::string_view name : {"rocpd_api", "rocpd_op", "rocpd_monitor"}) {
    if (const SqliteFile::Table* table = file.Find(name)) tables.push_back(table);
  }
  return tables;
}

Result<Trace> ReadRpd(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                      Diagnostics& diagnostics) {
  EventBlock block;
  EventCounts counts;
  RpdReader reader(file, block, counts, diagnostics);
  reader.Read();
  if (options.stop.stop_requested()) return std::unexpected(Interrupted(file.path()));
  RunFacts facts;
  facts.format = Format::kRocprof;
  facts.has_shapes = reader.shapes();
  if (reader.torch_ranges()) facts.framework = "PyTorch";
  std::vector<Device> devices;
  for (const int32_t gpu : reader.gpus()) {
    Device device;
    device.index = gpu;
    devices.push_back(std::move(device));
  }
  TraceBuilder builder;
  builder.Append(std::move(block));
  if (builder.events_so_far() == 0) {
    return Fail(ErrorCode::kDamaged, Say("read.rpd-empty"), file.path(), Say("read.rpd-again"));
  }
  Trace trace = std::move(builder).Build(std::move(facts), std::move(devices), std::move(counts),
                                         {}, pool, diagnostics);
  trace.path = file.path();
  return trace;
}

}  // namespace stepscope
