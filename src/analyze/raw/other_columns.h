#pragma once

#include <array>

#include "analyze/raw/work_columns.h"
#include "link/step_names.h"

// Everything that is not a span: flows, counters, allocations, steps, idle time, strings, the
// trace.
namespace stepscope::tables {

inline constexpr auto kFlowColumns = std::to_array<Column>({
    Of<[](const TraceRows& t, uint32_t row) { return t.flows()[row].id; }>(
        {.name = "id", .meaning = {"id in the file", "文件中的编号"}, .shown = kInSql}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return t.flows()[row].from; }>(
        {.name = "slice_out",
         .meaning = {"where the arrow begins", "箭头起点"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return t.flows()[row].to; }>(
        {.name = "slice_in",
         .meaning = {"where it ends", "箭头终点"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return t.flows()[row].name; }>(
        {.name = "name", .meaning = {"its name", "名称"}, .shown = kInSql}),
});

inline const CounterSample& SampleAt(const TraceRows& t, uint32_t row) {
  return t.trace().counters[row];
}
inline constexpr auto kRawCounterColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return SampleAt(t, row).time; }>(
        {.name = "ts",
         .meaning = {"when, since the first event", "时间，从第一个事件算起"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return SampleAt(t, row).value; }>(
        {.name = "value", .meaning = {"the value", "值"}, .shown = kInSql}),
    Of<[](const TraceRows& t) -> const std::vector<uint32_t>& { return t.track_of_counter(); }>(
        {.name = "track_id",
         .meaning = {"the series it is of", "所属序列"},
         .shown = kInSql,
         .joins = "counter_track.id"}),
});

inline const CounterSample& SeriesAt(const TraceRows& t, uint32_t row) {
  return SampleAt(t, t.counter_tracks()[row]);
}
inline constexpr auto kCounterTrackColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return SeriesAt(t, row).name; }>(
        {.name = "name", .meaning = {"the counter", "计数器名称"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return SeriesAt(t, row).series; }>(
        {.name = "series", .meaning = {"the series of it", "计数器中的序列"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return Index(SeriesAt(t, row).process); }>(
        {.name = "upid",
         .meaning = {"its process", "所属进程"},
         .shown = kInSql,
         .joins = "process.upid"}),
});

inline const Allocation& AllocationAt(const TraceRows& t, uint32_t row) {
  return t.trace().allocations[row];
}
inline constexpr auto kRawMemoryColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return AllocationAt(t, row).time; }>(
        {.name = "ts",
         .meaning = {"when, since the first event", "时间，从第一个事件算起"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return AllocationAt(t, row).bytes; }>(
        {.name = "bytes",
         .meaning = {"allocated; freed where negative", "分配的字节数；释放为负"},
         .unit = Unit::kBytes,
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(AllocationAt(t, row).address); }>(
        {.name = "address", .meaning = {"where", "地址"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return DeviceIdOf(AllocationAt(t, row).device_type, AllocationAt(t, row).device);
    }>({.name = "device", .meaning = {"whose memory it is", "内存所属的设备"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(AllocationAt(t, row).total_allocated);
    }>({.name = "total_allocated",
        .meaning = {"what the allocator has handed out after it", "此后分配器的已分配量"},
        .unit = Unit::kBytes,
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(AllocationAt(t, row).total_reserved);
    }>({.name = "total_reserved",
        .meaning = {"what it has reserved after it", "此后分配器的保留量"},
        .unit = Unit::kBytes,
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(AllocationAt(t, row).op); }>(
        {.name = "op",
         .meaning = {"who asked, where the file says so", "申请者，文件有记录时"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(AllocationAt(t, row).allocator); }>(
        {.name = "allocator",
         .meaning = {"whose figures the totals are", "总量所属的分配器"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return RowOrNone(Index(AllocationAt(t, row).track));
    }>({.name = "track_id",
        .meaning = {"the thread that asked", "申请内存的线程"},
        .shown = kInSql,
        .joins = "track.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return AllocationAt(t, row).event; }>(
        {.name = "event_id",
         .meaning = {"ordinal in the file", "在文件中的序号"},
         .shown = kInSql}),
});

// ---- steps
inline const Step& StepAt(const TraceRows& t, uint32_t row) { return t.steps().items[row]; }
// A part of the step's breakdown, added up over devices.
inline std::optional<DurationNs> PartOf(const TraceRows& t, uint32_t row,
                                        DurationNs DeviceStep::* part) {
  if (row >= t.breakdown().size()) return std::nullopt;
  DurationNs sum;
  for (const DeviceStep& device : t.breakdown()[row].devices) sum += device.*part;
  return sum;
}

inline constexpr auto kRawStepColumns = std::to_array<Column>({
    Of<[](const TraceRows&, uint32_t row) { return row; }>({.name = "step_id",
                                                            .meaning = {"row number", "行号"},
                                                            .shown = kInSql,
                                                            .row_number = true}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return StepAt(t, row).number; }>(
        {.name = "number", .meaning = {"its number in the file", "文件中的编号"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return StepAt(t, row).start; }>(
        {.name = "ts",
         .meaning = {"start, since the first event", "开始时间，从第一个事件算起"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return StepAt(t, row).duration; }>(
        {.name = "dur", .meaning = {"duration", "时长"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) -> const std::string& { return StepAt(t, row).name; }>(
        {.name = "name", .meaning = {"what the file calls it", "文件中的名称"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return StepAt(t, row).marker; }>(
        {.name = "slice_id",
         .meaning = {"its marker", "标记"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return StepAt(t, row).used(); }>(
        {.name = "used",
         .meaning = {"whether it counts in medians and sums", "是否计入中位数与合计"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) -> std::optional<WhyUnused> {
      if (StepAt(t, row).used()) return std::nullopt;
      return StepAt(t, row).why_unused;
    }>({.name = "why_unused", .meaning = {"why it does not", "不计入的原因"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return PartOf(t, row, &DeviceStep::compute); }>(
        {.name = "compute_ns",
         .meaning = {"computation, added up over devices", "计算时间，各设备之和"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return PartOf(t, row, &DeviceStep::exposed_communication);
    }>({.name = "exposed_communication_ns",
        .meaning = {"communication without computation beside it", "未被计算掩盖的通信"},
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return PartOf(t, row, &DeviceStep::exposed_copy); }>(
        {.name = "exposed_copy_ns",
         .meaning = {"copies with nothing else beside them", "未被其他任务掩盖的拷贝"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return PartOf(t, row, &DeviceStep::idle); }>(
        {.name = "idle_ns",
         .meaning = {"idle time, added up over devices", "空闲时间，各设备之和"},
         .shown = kInSql}),
});

// ---- idle time
inline const IdleGaps& GapsOf(const TraceRows& t, uint32_t row) {
  return t.idle()[t.idle_rows()[row].device];
}
inline uint32_t GapOf(const TraceRows& t, uint32_t row) { return t.idle_rows()[row].gap; }
// The step in which a gap begins.
inline std::optional<uint32_t> StepOfGap(const TraceRows& t, uint32_t row) {
  const std::vector<Step>& steps = t.steps().items;
  const TimeNs start = GapsOf(t, row).start[GapOf(t, row)];
  const auto after = std::ranges::upper_bound(steps, start, {}, &Step::start);
  if (after == steps.begin() || start >= std::prev(after)->end()) return std::nullopt;
  return static_cast<uint32_t>(after - steps.begin() - 1);
}

inline constexpr auto kRawIdleColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return StepOfGap(t, row); }>(
        {.name = "step_id",
         .meaning = {"the step in which it begins", "开始时所在的步"},
         .shown = kInSql,
         .joins = "step.step_id"}),
    Of<[](const TraceRows& t, uint32_t row) {
      return DeviceIdAt(t.trace(), GapsOf(t, row).device);
    }>({.name = "device", .meaning = {"the device that idles", "空闲的设备"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return GapsOf(t, row).start[GapOf(t, row)]; }>(
        {.name = "ts",
         .meaning = {"start, since the first event", "开始时间，从第一个事件算起"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return GapsOf(t, row).duration[GapOf(t, row)]; }>(
        {.name = "dur", .meaning = {"duration", "时长"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return GapsOf(t, row).cause[GapOf(t, row)]; }>(
        {.name = "cause", .meaning = {"why it idles", "空闲的原因"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return GapsOf(t, row).blamed[GapOf(t, row)]; }>(
        {.name = "slice_id",
         .meaning = {"what the launching thread was doing", "启动线程当时在做的事"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return GapsOf(t, row).next_work[GapOf(t, row)]; }>(
        {.name = "next_slice_id",
         .meaning = {"the device work that ended it", "结束空闲的设备任务"},
         .shown = kInSql,
         .joins = "slice.id"}),
});

inline constexpr auto kStringColumns = std::to_array<Column>({
    IdColumn({"the key", "键"}),
    TraceIdColumn(),
    Of<[](const TraceRows&, uint32_t row) { return StringId{row}; }>(
        {.name = "value", .meaning = {"the text", "文本"}, .shown = kInSql}),
});

// ---- the trace
constexpr std::optional<std::string_view> KnownText(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}
inline constexpr auto kTraceColumns = std::to_array<Column>({
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t) -> const std::string& { return t.trace().path; }>(
        {.name = "path", .meaning = {"as it was given", "给出的路径"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().facts.format; }>(
        {.name = "format",
         .meaning = {"kineto, xplane, chrome, …", "kineto、xplane、chrome 等"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return KnownText(t.trace().facts.framework); }>(
        {.name = "framework",
         .meaning = {"PyTorch, TensorFlow, JAX, …", "PyTorch、TensorFlow、JAX 等"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return KnownText(t.trace().facts.framework_version); }>(
        {.name = "version", .meaning = {"of the framework", "框架版本"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return KnownText(t.trace().facts.host); }>(
        {.name = "host", .meaning = {"the machine", "主机"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().facts.rank; }>(
        {.name = "rank", .meaning = {"rank of the process", "进程的 rank"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().facts.world_size; }>(
        {.name = "world_size",
         .meaning = {"ranks of the job", "任务的 rank 总数"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().facts.start_unix_ns; }>(
        {.name = "start_unix_ns",
         .meaning = {"epoch time of the first event", "第一个事件的 Unix 时间"},
         .unit = Unit::kNs,
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().span; }>(
        {.name = "span_ns",
         .meaning = {"first start to last end", "从首个开始到最后结束"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().events.in_file; }>(
        {.name = "events", .meaning = {"events in the file", "文件中的事件数"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t) { return t.trace().events.diagnosed; }>(
        {.name = "diagnosed",
         .meaning = {"of them counted in diagnostics", "其中计入诊断的事件数"},
         .shown = kInSql}),
});

}  // namespace stepscope::tables
