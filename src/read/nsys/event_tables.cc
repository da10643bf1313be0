#include "read/nsys/event_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "read/nsys/global_id.h"
#include "read/nsys/names.h"

namespace stepscope::nsys {

StringId TableReader::Text(int64_t id) {
  const auto [at, is_new] = texts_.try_emplace(id);
  if (is_new) at->second = into_.block.strings.Intern(recording_.strings[id]);
  return at->second;
}

StringId TableReader::CallName(int64_t id) {
  const auto [at, is_new] = texts_.try_emplace(id);
  if (is_new) at->second = into_.block.strings.Intern(PlainCallName(recording_.strings[id]));
  return at->second;
}

StringId TableReader::FirstTextIn(const SqliteRows& row, std::initializer_list<int> columns) {
  for (const int column : columns) {
    const StringId text = TextIn(row, column);
    if (text != kEmptyString) return text;
  }
  return into_.block.strings.Intern(table_);
}

// Programs that copy tables may write numbers as text or as floating point.
std::optional<int64_t> TableReader::UnusualTime(const SqliteRows& row, int column) {
  constexpr double kLimit = 0x1p63;
  if (row.TypeOf(column) == SqliteRows::Type::kReal) {
    const double time = row.Real(column);
    if (time >= -kLimit && time < kLimit) return static_cast<int64_t>(time);
  }
  if (row.TypeOf(column) == SqliteRows::Type::kText) {
    const std::string_view text = row.Text(column);
    int64_t time = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
    if (error == std::errc() && end == text.data() + text.size()) return time;
  }
  return std::nullopt;
}

uint32_t TableReader::Thread(int64_t global_tid, Row row) {
  return out_.Track(
      {ProcessOf(global_tid), TidOf(global_tid), static_cast<uint8_t>(row)},
      [&](EventBlock::TrackKey& key) {
        key.process.number = recording_.ProcessKey(ProcessOf(global_tid));
        key.thread.number = TidOf(global_tid);
        const auto track = static_cast<uint32_t>(into_.block.tracks.size());
        into_.threads.push_back({track, global_tid});
        if (row == Row::kThread) return;
        key.kind = TrackKind::kOther;
        key.scope = into_.block.strings.Intern(fmt::format(
            "thread {} {}", key.thread.number, row == Row::kFiles ? "files" : "scheduling"));
      });
}

uint32_t TableReader::Stream(int32_t gpu, int64_t process, int64_t stream, Row row) {
  const int64_t identity = (process << 8) | (gpu & 0xff);
  return out_.Track({identity, stream, static_cast<uint8_t>(row)}, [&](EventBlock::TrackKey& key) {
    key.process.text = into_.block.strings.Intern(fmt::format("GPU {}", gpu));
    key.thread.number = stream;
    key.kind = row == Row::kStream ? TrackKind::kStream : TrackKind::kOther;
    const auto track = static_cast<uint32_t>(into_.block.tracks.size());
    out_.Name(track, EventBlock::MetadataKey::kProcessName, fmt::format("GPU {}", gpu));
    if (row == Row::kCounters) {
      key.scope = into_.block.strings.Intern("counters");
    } else if (row == Row::kFaults) {
      key.scope = into_.block.strings.Intern("page faults");
    } else {
      into_.streams.push_back({track, gpu, process, stream, row == Row::kWaits});
    }
  });
}

bool TableReader::Timed(const SqliteRows& row, int start, int end, int64_t& begin,
                        int64_t& duration) {
  out_.BeginEvent();
  const std::optional<int64_t> first = Time(row, start), last = Time(row, end);
  if (!first || !last) {
    out_.Diagnose(Diagnostic::kEventWithoutTime, table_);
    return false;
  }
  begin = *first;
  if (__builtin_sub_overflow(*last, begin, &duration)) {
    out_.Diagnose(Diagnostic::kMalformedEvent, "an end that no time can have");
    return false;
  }
  return true;
}

bool IsDescription(std::string_view table) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"ENUM_", "TARGET_INFO_", "META_DATA_", "NVTX_PAYLOAD_", "ANALYSIS_", "sqlite_"});
  constexpr auto kNames = std::to_array<std::string_view>(
      {"StringIds", "ThreadNames", "PROCESSES", "ProcessStreams", "EXPORT_META_DATA",
       "UnwindMethodType", "DIAGNOSTIC_EVENT", "OSRT_FILE_ACCESS_DESCRIPTORS", "MPI_RANKS",
       "MPI_COMMUNICATORS", "UCP_WORKERS", "NIC_ID_MAP", "GENERIC_EVENT_TYPES",
       "GENERIC_EVENT_SOURCES", "GENERIC_EVENT_TYPE_FIELDS"});
  return table.ends_with("_CALLCHAINS") ||
         std::ranges::any_of(kPrefixes, [&](auto p) { return table.starts_with(p); }) ||
         std::ranges::find(kNames, table) != kNames.end();
}

}  // namespace stepscope::nsys
