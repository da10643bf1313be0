#pragma once

#include <array>

#include "analyze/raw/trace_rows.h"
#include "tables/column_of.h"

namespace stepscope::tables {

// A row number that may be none.
constexpr std::optional<uint32_t> RowOrNone(uint32_t row) {
  if (row == kNoRow) return std::nullopt;
  return row;
}

// Columns that are not in Python: SQL and export only.
inline constexpr Shown kInSql = kInCsv;

constexpr Column IdColumn(Words meaning) {
  return Of<[](const TraceRows&, uint32_t row) { return row; }>(
      {.name = "id", .meaning = meaning, .shown = kInSql, .row_number = true});
}
constexpr Column TraceIdColumn() {
  return Of<[](const TraceRows& t, uint32_t) { return t.trace_id(); }>(
      {.name = "trace_id",
       .meaning = {"the trace it is of", "所属的 trace"},
       .shown = kInSql,
       .joins = "trace.trace_id"});
}

inline constexpr auto kSliceColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t) -> const std::vector<TimeNs>& { return t.trace().slices.start; }>(
        {.name = "ts",
         .meaning = {"start, since the first event", "开始时间，从第一个事件算起"},
         .shown = kInTables,
         .python = "start_ns"}),
    Of<[](const TraceRows& t) -> const std::vector<DurationNs>& {
      return t.trace().slices.duration;
    }>({.name = "dur",
        .meaning = {"duration", "时长"},
        .shown = kInTables,
        .python = "duration_ns"}),
    Of<[](const TraceRows& t) -> const std::vector<StringId>& { return t.trace().slices.name; }>(
        {.name = "name",
         .meaning = {"name as the file spells it", "文件中的名称"},
         .shown = kInTables}),
    Of<[](const TraceRows& t) -> const std::vector<Kind>& { return t.trace().slices.kind; }>(
        {.name = "category",
         .meaning = {"its kind: framework_op, kernel, memcpy, runtime_call, …",
                     "种类：framework_op、kernel、memcpy、runtime_call 等"},
         .shown = kInTables,
         .python = "kind",
         .codes = static_cast<uint8_t>(Kind::kOverhead) + 1}),
    Of<[](const TraceRows& t) -> const std::vector<uint32_t>& { return t.track_of_slice(); }>(
        {.name = "track_id",
         .meaning = {"the thread or stream it is on", "所在的线程或流"},
         .shown = kInTables,
         .joins = "track.id",
         .python = "track"}),
    Of<[](const TraceRows& t) -> const std::vector<SliceId>& { return t.trace().slices.parent; }>(
        {.name = "parent_id",
         .meaning = {"the slice around it", "外层的 slice"},
         .shown = kInTables,
         .joins = "slice.id",
         .python = "parent"}),
    Of<[](const TraceRows& t) -> const std::vector<uint16_t>& { return t.trace().slices.depth; }>(
        {.name = "depth",
         .meaning = {"how many slices are around it", "外层 slice 的个数"},
         .shown = kInTables}),
    Of<[](const TraceRows& t) -> const std::vector<uint32_t>& { return t.trace().slices.event; }>(
        {.name = "event_id",
         .meaning = {"ordinal in the file", "在文件中的序号"},
         .shown = kInTables,
         .python = "event"}),
    Of<[](const TraceRows& t) -> const std::vector<uint8_t>& { return t.trace().slices.flags; }>(
        {.name = "flags",
         .meaning = {"1: never finished; 2: of absurd length, kept out of sums",
                     "1：没有结束；2：时长荒谬，不计入合计"},
         .shown = kInTables}),
    Of<[](const TraceRows&, uint32_t row) { return row; }>(
        {.name = "arg_set_id",
         .meaning = {"key of its arguments", "参数的键"},
         .shown = kInSql,
         .row_number = true,
         .joins = "args.arg_set_id"}),
    Of<[](const TraceRows& t, uint32_t row) { return RowOrNone(t.step_of_slice()[row]); }>(
        {.name = "step_id",
         .meaning = {"the step that launched it (device work), or that it starts in",
                     "启动它的步（设备任务），或它开始时所在的步"},
         .shown = kInSql,
         .joins = "step.step_id"}),
    Of<[](const TraceRows& t, uint32_t row) {
      return (t.trace().slices.flags[row] & kUnfinished) != 0;
    }>({.name = "unfinished",
        .meaning = {"whether its end is not in the file", "结束是否不在文件中"},
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return t.trace().slices.end(row); }>(
        {.name = "end_ts", .meaning = {"ts + dur", "ts + dur"}, .shown = kInSql, .hidden = true}),
    Of<[](const TraceRows& t, uint32_t row) { return Index(t.trace().slices.name[row]); }>(
        {.name = "name_id",
         .meaning = {"key of its name", "名称的键"},
         .shown = kInSql,
         .hidden = true,
         .joins = "strings.id"}),
    Of<[](const TraceRows& t) -> const std::vector<DurationNs>& { return t.device_time(); }>(
        {.name = "device_ns",
         .meaning = {"device work launched inside it", "其内部启动的设备任务时间"},
         .shown = kInSql,
         .hidden = true}),
    Of<[](const TraceRows& t) -> const std::vector<DurationNs>& { return t.self_time(); }>(
        {.name = "self_dur",
         .meaning = {"dur less the slices directly inside", "dur 减去直接内层的 slice"},
         .shown = kInSql,
         .below_zero = true,
         .hidden = true}),
});

}  // namespace stepscope::tables
