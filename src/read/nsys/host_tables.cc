#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "read/nsys/event_tables.h"
#include "read/nsys/global_id.h"
#include "read/nsys/names.h"
#include "read/torch_range.h"

namespace stepscope::nsys {
namespace {

// Exports of 2022 have the name as text as well; tables of MPI and UCX call it textId.
constexpr auto kCallColumns = std::to_array<std::string_view>(
    {"start", "end", "globalTid", "nameId", "correlationId", "name", "textId", "text"});
enum Call : int { kName = 3, kNameText = 5, kTextIdColumn, kTextColumn };

StringId CallNameIn(const SqliteRows& row, TableReader& reader) {
  const StringId name = reader.CallName(row.Integer(kName, -1));
  if (name != kEmptyString) return name;
  for (const int column : {kName, kNameText}) {
    if (row.TypeOf(column) == SqliteRows::Type::kText) {
      return reader.out().Intern(PlainCallName(row.Text(column)));
    }
  }
  return reader.out().block().strings.Intern("(unnamed)");
}

void ReadCall(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, 0, 1, start, duration)) return;
  const int64_t thread = row.Integer(2);
  CallArgs args;
  args.correlation = reader.recording().Correlation(thread, row.Integer(4));
  BlockWriter& out = reader.out();
  out.Span(start, duration, CallNameIn(row, reader), reader.Thread(thread), Kind::kCall,
           out.Args(args));
}

// What a thread did in the C library and in libraries that the profiler traces: the name of a call
// is what a blocked thread waits for.
void ReadHostSpan(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, 0, 1, start, duration)) return;
  const StringId name = reader.FirstTextIn(row, {kName, kTextIdColumn, kNameText, kTextColumn});
  reader.out().Span(start, duration, name, reader.Thread(row.Integer(2)), Kind::kOther);
}

constexpr auto kOverheadColumns =
    std::to_array<std::string_view>({"start", "end", "globalTid", "nameId", "overheadType"});

void ReadOverhead(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, 0, 1, start, duration)) return;
  const Overhead overhead = OverheadOf(row.Integer(4));
  BlockWriter& out = reader.out();
  out.Span(start, duration, out.block().strings.Intern(overhead.name),
           reader.Thread(row.Integer(2)), overhead.kind);
}

// The profiler's own work, whatever it says about its type.
void ReadProfilerOverhead(const SqliteRows& row, TableReader& reader) {
  int64_t start = 0, duration = 0;
  if (!reader.Timed(row, 0, 1, start, duration)) return;
  StringId name = reader.TextIn(row, 3);
  BlockWriter& out = reader.out();
  if (name == kEmptyString) name = out.block().strings.Intern("Profiler overhead");
  out.Span(start, duration, name, reader.Thread(row.Integer(2)), Kind::kOverhead);
}

enum NvtxType : int64_t {
  kCategory = 33,
  kMark = 34,
  kThreadName = 39,
  kTextCategory = 64,
  kTextMark = 65,
  kTextThreadName = 72,
  kTextFile = 74,
  kDomainCreate = 75,
  kDomainDestroy = 76,
  kFirstCudaName = 97,
  kLastCudaName = 99,
};

// Names of domains, categories, devices: they describe other entries.
bool IsNvtxName(int64_t type) {
  return type == kCategory || type == kTextCategory || type == kDomainCreate ||
         type == kDomainDestroy || (type > kTextThreadName && type <= kTextFile) ||
         (type >= kFirstCudaName && type <= kLastCudaName);
}

constexpr auto kNvtxColumns =
    std::to_array<std::string_view>({"start", "end", "eventType", "globalTid", "text", "textId"});

StringId NvtxText(const SqliteRows& row, TableReader& reader) {
  StringId name =
      row.IsNull(4) ? reader.Text(row.Integer(5, -1)) : reader.out().Intern(row.Text(4));
  return name == kEmptyString ? reader.out().block().strings.Intern("(unnamed)") : name;
}

void ReadNvtx(const SqliteRows& row, TableReader& reader) {
  BlockWriter& out = reader.out();
  out.BeginEvent();
  const int64_t type = row.Integer(2);
  const int64_t thread = row.Integer(3);
  if (IsNvtxName(type)) return;
  if (type == kThreadName || type == kTextThreadName) {
    out.Name(reader.Thread(thread), EventBlock::MetadataKey::kThreadName,
             out.block().strings[NvtxText(row, reader)]);
    return;
  }
  const std::optional<int64_t> time = TableReader::Time(row, 0), end = TableReader::Time(row, 1);
  if (!time || (!end && !row.IsNull(1))) {
    return out.Diagnose(Diagnostic::kEventWithoutTime, "NVTX range");
  }
  const uint32_t track = reader.Thread(thread);
  const int64_t start = *time;
  if (type == kMark || type == kTextMark) {
    return out.Instant(start, NvtxText(row, reader), track);
  }
  const std::string_view text =
      row.IsNull(4) ? reader.recording().strings[row.Integer(5, -1)] : row.Text(4);
  Kind kind = Kind::kAnnotation;
  StringId name = kEmptyString;
  uint32_t args_row = kNoRow;
  if (const std::optional<TorchRange> range = TorchRangeOf(text)) {
    reader.block().torch_ranges = true;
    reader.block().shapes |= !range->sizes.empty();
    name = out.Intern(range->op);
    kind = Kind::kOp;
    args_row = out.Args(ArgsOf(*range, out));
  } else {
    name = NvtxText(row, reader);
  }
  int64_t duration = 0;
  if (!end) {
    out.Half(start, name, track, kind, true, args_row);
  } else if (__builtin_sub_overflow(*end, start, &duration)) {
    out.Diagnose(Diagnostic::kMalformedEvent, "an end that no time can have");
  } else {
    out.Span(start, duration, name, track, kind, args_row);
  }
}

std::string_view WhyOffCpu(int64_t state) {
  switch (state) {
    case 2:
      return "waiting";
    case 3:
      return "waiting for I/O";
    case 4:
      return "stopped";
    case 6:
      return "ready, no CPU";
    default:
      return "not running";
  }
}

// Scheduling: a thread does not run from the event that takes it off a CPU to the next that puts
// it on one.
void ReadScheduling(const SqliteFile& file, const SqliteFile::Table& table, TableReader& reader) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({"start", "isSchedIn", "globalTid", "threadState"});
  struct Off {
    int64_t since;
    int64_t state;
  };
  std::unordered_map<int64_t, Off> off;
  Result<SqliteRows> rows = file.Read(table, kColumns);
  if (!rows) {
    reader.block().fault = std::move(rows.error());
    return;
  }
  BlockWriter& out = reader.out();
  while (rows->Next()) {
    out.BeginEvent();
    const std::optional<int64_t> moment = TableReader::Time(*rows, 0);
    if (!moment) {
      out.Diagnose(Diagnostic::kEventWithoutTime, "scheduling event");
      continue;
    }
    const int64_t time = *moment;
    const int64_t thread = rows->Integer(2);
    if (rows->Integer(1) == 0) {
      off[thread] = {time, rows->Integer(3)};
      continue;
    }
    const auto at = off.find(thread);
    if (at == off.end()) continue;
    int64_t duration = 0;
    if (!__builtin_sub_overflow(time, at->second.since, &duration)) {
      out.Span(at->second.since, duration, out.block().strings.Intern(WhyOffCpu(at->second.state)),
               reader.Thread(thread, TableReader::Row::kScheduling), Kind::kOther);
    }
    off.erase(at);
  }
  reader.block().fault = rows->fault();
}

// CPU samples, each as a mark with the function that ran.
void ReadSamples(const SqliteFile& file, const SqliteFile::Table& table, TableReader& reader) {
  std::unordered_map<int64_t, int64_t> leaf;
  if (const SqliteFile::Table* chains = file.Find("SAMPLING_CALLCHAINS")) {
    constexpr auto kColumns = std::to_array<std::string_view>({"id", "symbol", "stackDepth"});
    Result<SqliteRows> rows = file.Read(*chains, kColumns);
    while (rows && rows->Next()) {
      if (rows->Integer(2) == 0) leaf[rows->Integer(0)] = rows->Integer(1);
    }
  }
  constexpr auto kColumns = std::to_array<std::string_view>({"id", "start", "globalTid"});
  Result<SqliteRows> rows = file.Read(table, kColumns);
  if (!rows) {
    reader.block().fault = std::move(rows.error());
    return;
  }
  BlockWriter& out = reader.out();
  while (rows->Next()) {
    out.BeginEvent();
    const std::optional<int64_t> time = TableReader::Time(*rows, 1);
    if (!time) {
      out.Diagnose(Diagnostic::kEventWithoutTime, "CPU sample");
      continue;
    }
    const auto at = leaf.find(rows->Integer(0));
    StringId name = at == leaf.end() ? kEmptyString : reader.Text(at->second);
    if (name == kEmptyString) name = out.block().strings.Intern("CPU sample");
    out.Instant(*time, name, reader.Thread(rows->Integer(2)));
  }
  reader.block().fault = rows->fault();
}

// Files by their own name; where they lie on the machine stays there.
void ReadFileAccess(const SqliteFile& file, const SqliteFile::Table& table, TableReader& reader) {
  struct Opened {
    int64_t process;
    std::string name;
  };
  std::unordered_map<int64_t, Opened> files;
  if (const SqliteFile::Table* described = file.Find("OSRT_FILE_ACCESS_DESCRIPTORS")) {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"fileAccessId", "processId", "filePath"});
    Result<SqliteRows> rows = file.Read(*described, kColumns);
    while (rows && rows->Next()) {
      const std::string_view path = rows->Text(2);
      files[rows->Integer(0)] = {reader.recording().ProcessWithPid(rows->Integer(1)),
                                 std::string(path.substr(path.find_last_of("/\\") + 1))};
    }
  }
  constexpr auto kColumns = std::to_array<std::string_view>(
      {"startedAt", "endedAt", "fileAccessId", "threadId", "apiCallId"});
  Result<SqliteRows> rows = file.Read(table, kColumns);
  if (!rows) {
    reader.block().fault = std::move(rows.error());
    return;
  }
  BlockWriter& out = reader.out();
  while (rows->Next()) {
    int64_t start = 0, duration = 0;
    if (!reader.Timed(*rows, 0, 1, start, duration)) continue;
    const auto at = files.find(rows->Integer(2));
    const int64_t process = at == files.end() || at->second.process < 0 ? 0 : at->second.process;
    const std::string_view call = reader.recording().strings[rows->Integer(4, -1)];
    const StringId name = out.Intern(
        at == files.end() ? std::string(call) : fmt::format("{} {}", call, at->second.name));
    const int64_t global_tid = (process << 24) | (rows->Integer(3) & 0xffffff);
    out.Span(start, duration, name, reader.Thread(global_tid, TableReader::Row::kFiles),
             Kind::kOther);
  }
  reader.block().fault = rows->fault();
}

constexpr auto kTables = std::to_array<EventTable>({
    {"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns, ReadCall},
    {"NVTX_EVENTS", kNvtxColumns, ReadNvtx},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", kOverheadColumns, ReadOverhead},
    {"PROFILER_OVERHEAD", kOverheadColumns, ReadProfilerOverhead},
    {"OSRT_FILE_ACCESS_EVENTS", {}, nullptr, ReadFileAccess},
    {"SCHED_EVENTS", {}, nullptr, ReadScheduling},
    {"COMPOSITE_EVENTS", {}, nullptr, ReadSamples},
});
constexpr EventTable kHostSpans{"", kCallColumns, ReadHostSpan};

}  // namespace

std::span<const EventTable> HostTables() { return kTables; }

const EventTable* HostCallTable(const SqliteFile::Table& table) {
  const bool calls = table.Has("start") && table.Has("end") && table.Has("globalTid") &&
                     !IsDescription(table.name);
  return calls ? &kHostSpans : nullptr;
}

}  // namespace stepscope::nsys
