#pragma once

#include <array>

#include "analyze/raw/slice_columns.h"
#include "trace/device_id.h"

namespace stepscope::tables {

constexpr std::string_view NameOf(TrackKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"thread", "stream", "async", "other"};
  return kNames[static_cast<size_t>(kind)];
}

inline const Track& TrackAt(const TraceRows& t, uint32_t row) { return t.trace().tracks[row]; }
inline const Process& ProcessOf(const TraceRows& t, const Track& track) {
  return t.trace().processes[Index(track.process)];
}
// Files write -1 where there is none.
constexpr std::optional<int32_t> NumberOrNone(int32_t number) {
  if (number < 0) return std::nullopt;
  return number;
}

inline constexpr auto kTrackColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return Index(TrackAt(t, row).process); }>(
        {.name = "upid",
         .meaning = {"its process", "所属进程"},
         .shown = kInSql,
         .joins = "process.upid"}),
    Of<[](const TraceRows& t, uint32_t row) { return RowOrNone(t.thread_of_track()[row]); }>(
        {.name = "utid",
         .meaning = {"its thread", "所属线程"},
         .shown = kInSql,
         .joins = "thread.utid"}),
    Of<[](const TraceRows& t, uint32_t row) { return TrackAt(t, row).name; }>(
        {.name = "name", .meaning = {"its name", "名称"}, .shown = kInTables}),
    Of<[](const TraceRows& t, uint32_t row) -> const std::string& {
      return ProcessOf(t, TrackAt(t, row)).key;
    }>({.name = "pid",
        .meaning = {"the process as the file spells it", "文件中的进程号"},
        .shown = kInTables,
        .python = "process"}),
    Of<[](const TraceRows& t, uint32_t row) { return ProcessOf(t, TrackAt(t, row)).name; }>(
        {.name = "process_name",
         .meaning = {"name of the process", "进程名称"},
         .shown = kInTables}),
    Of<[](const TraceRows& t, uint32_t row) -> const std::string& { return TrackAt(t, row).key; }>(
        {.name = "tid",
         .meaning = {"the thread or stream as the file spells it", "文件中的线程号或流号"},
         .shown = kInTables,
         .python = "key"}),
    Of<[](const TraceRows& t, uint32_t row) { return NameOf(TrackAt(t, row).kind); }>(
        {.name = "type",
         .meaning = {"thread, stream, async or other",
                     "thread（线程）、stream（流）、async（异步）或 other"},
         .shown = kInTables,
         .python = "kind"}),
    Of<[](const TraceRows& t, uint32_t row) { return TrackAt(t, row).lane; }>(
        {.name = "lane",
         .meaning = {"0, or more where slices overlap without nesting",
                     "0；slice 重叠而不嵌套时为更大的值"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return NumberOrNone(TrackAt(t, row).device); }>(
        {.name = "device",
         .meaning = {"of a stream: its device", "流所在的设备"},
         .shown = kInTables}),
    Of<[](const TraceRows& t, uint32_t row) { return NumberOrNone(TrackAt(t, row).stream); }>(
        {.name = "stream", .meaning = {"of a stream: its number", "流的编号"}, .shown = kInTables}),
    Of<[](const TraceRows& t, uint32_t row) { return TrackAt(t, row).slices.first; }>(
        {.name = "first_slice",
         .meaning = {"its first slice; all lie one after another", "第一个 slice；其余依次相连"},
         .shown = kInTables,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return TrackAt(t, row).slices.size(); }>(
        {.name = "slices", .meaning = {"how many slices", "slice 的个数"}, .shown = kInTables}),
});

inline const Track& TrackOf(const TraceRows& t, uint32_t thread) {
  return t.trace().tracks[t.threads()[thread].track];
}

inline constexpr auto kThreadColumns = std::to_array<Column>({
    Of<[](const TraceRows&, uint32_t row) { return row; }>(
        {.name = "utid", .meaning = {"row number", "行号"}, .shown = kInSql, .row_number = true}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return Index(TrackOf(t, row).process); }>(
        {.name = "upid",
         .meaning = {"its process", "所属进程"},
         .shown = kInSql,
         .joins = "process.upid"}),
    Of<[](const TraceRows& t, uint32_t row) -> const std::string& { return TrackOf(t, row).key; }>(
        {.name = "tid",
         .meaning = {"as the file spells it: text", "文件中的线程号，文本"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TrackOf(t, row).name; }>(
        {.name = "name", .meaning = {"its name", "名称"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return TrackOf(t, row).key == ProcessOf(t, TrackOf(t, row)).key;
    }>({.name = "is_main_thread",
        .meaning = {"whether tid and pid are the same", "tid 是否等于 pid"},
        .shown = kInSql}),
});

inline const Process& ProcessAt(const TraceRows& t, uint32_t row) {
  return t.trace().processes[row];
}

inline constexpr auto kProcessColumns = std::to_array<Column>({
    Of<[](const TraceRows&, uint32_t row) { return row; }>(
        {.name = "upid", .meaning = {"row number", "行号"}, .shown = kInSql, .row_number = true}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) -> const std::string& {
      return ProcessAt(t, row).key;
    }>({.name = "pid",
        .meaning = {"as the file spells it: text", "文件中的进程号，文本"},
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ProcessAt(t, row).name; }>(
        {.name = "name", .meaning = {"its name", "名称"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ProcessAt(t, row).labels; }>(
        {.name = "labels", .meaning = {"its labels", "标签"}, .shown = kInSql}),
});

}  // namespace stepscope::tables
