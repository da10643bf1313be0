#pragma once

#include <algorithm>
#include <array>

#include "analyze/raw/slice_columns.h"
#include "analyze/raw/track_columns.h"

// Tables over slices of some kinds: ops, runtime calls, device work, collectives. Row i of them is
// slice t.ops()[i], t.calls()[i] and so on.
namespace stepscope::tables {

template <typename Args>
const Args& ArgsAt(const std::vector<Args>& all, uint32_t row) {
  static constexpr Args kNone{};
  return row < all.size() ? all[row] : kNone;
}
inline DeviceArgs ArgsAt(const DeviceTable& all, uint32_t row) {
  return row < all.size() ? all[row] : DeviceArgs{};
}
// An id or text that is 0 or empty where the file has none.
constexpr std::optional<uint64_t> IdOrNone(uint64_t id) {
  if (id == 0) return std::nullopt;
  return id;
}
constexpr std::optional<StringId> TextOrNone(StringId id) {
  if (id == kEmptyString) return std::nullopt;
  return id;
}
template <typename Number>
constexpr std::optional<Number> ValueOrNone(Number value) {
  if (value < 0) return std::nullopt;
  return value;
}

template <const std::vector<uint32_t>& (TraceRows::*kSlices)() const>
constexpr Column SliceIdColumn() {
  return Of<[](const TraceRows& t) -> const std::vector<uint32_t>& { return (t.*kSlices)(); }>(
      {.name = "slice_id",
       .meaning = {"the slice", "对应的 slice"},
       .shown = kInSql,
       .joins = "slice.id"});
}

// ---- ops
inline const OpArgs& OpAt(const TraceRows& t, uint32_t row) {
  return ArgsAt(t.trace().op_args, t.trace().slices.args[t.ops()[row]]);
}

inline constexpr auto kRawOpColumns = std::to_array<Column>({
    SliceIdColumn<&TraceRows::ops>(),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(OpAt(t, row).external_id); }>(
        {.name = "external_id",
         .meaning = {"the framework's id of the call", "框架给出的调用编号"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(OpAt(t, row).sequence); }>(
        {.name = "sequence",
         .meaning = {"autograd sequence number", "autograd 序号"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(OpAt(t, row).forward_thread); }>(
        {.name = "fwd_thread",
         .meaning = {"thread of the forward op", "前向算子的线程"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(OpAt(t, row).input_dims); }>(
        {.name = "input_dims", .meaning = {"shapes of the inputs", "输入形状"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(OpAt(t, row).input_types); }>(
        {.name = "input_types", .meaning = {"types of the inputs", "输入类型"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(OpAt(t, row).stack); }>(
        {.name = "stack",
         .meaning = {"call stack, frames joined by ;", "调用栈，以 ; 相连"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return t.backward_of()[t.ops()[row]]; }>(
        {.name = "bwd_slice_id",
         .meaning = {"the op that runs its backward pass", "对应的反向算子"},
         .shown = kInSql,
         .joins = "slice.id"}),
});

// ---- runtime calls
inline const CallArgs& CallAt(const TraceRows& t, uint32_t row) {
  return ArgsAt(t.trace().call_args, t.trace().slices.args[t.calls()[row]]);
}
// From the end of the call to the start of the first work that it launched.
inline std::optional<DurationNs> QueueDelay(const TraceRows& t, uint32_t row) {
  const Links& links = t.links();
  const Slices& slices = t.trace().slices;
  const uint32_t slice = t.calls()[row];
  const auto call = std::ranges::lower_bound(links.calls, SliceId{slice});
  if (call == links.calls.end() || *call != SliceId{slice}) return std::nullopt;
  const uint32_t first = links.first[static_cast<size_t>(call - links.calls.begin())];
  const uint32_t work = t.trace().device_args[links.device_rows[first]].slice;
  if (work == kNoRow) return std::nullopt;
  return std::max(DurationNs{}, slices.start[work] - slices.end(slice));
}

inline constexpr auto kRawCallColumns = std::to_array<Column>({
    SliceIdColumn<&TraceRows::calls>(),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(CallAt(t, row).correlation); }>(
        {.name = "correlation",
         .meaning = {"links it to the work that it launched", "与所启动任务的关联号"},
         .shown = kInSql,
         .joins = "kernel.correlation"}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(CallAt(t, row).external_id); }>(
        {.name = "external_id",
         .meaning = {"the framework's id of the call around it", "外层调用的框架编号"},
         .shown = kInSql,
         .joins = "op.external_id"}),
    Of<[](const TraceRows& t, uint32_t row) {
      const uint32_t args = t.trace().slices.args[t.calls()[row]];
      return args < t.links().op_of_call.size() ? t.links().op_of_call[args] : kNoSlice;
    }>({.name = "op_slice_id",
        .meaning = {"the innermost op around it", "最内层的外围算子"},
        .shown = kInSql,
        .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return QueueDelay(t, row); }>(
        {.name = "queue_delay_ns",
         .meaning = {"from its end to the start of the first work that it launched",
                     "从调用结束到其首个设备任务开始的时间"},
         .shown = kInSql}),
});

// ---- device work
inline uint32_t WorkSlice(const TraceRows& t, uint32_t row) { return t.device_work()[row]; }
inline DeviceArgs WorkAt(const TraceRows& t, uint32_t row) {
  return ArgsAt(t.trace().device_args, t.trace().slices.args[WorkSlice(t, row)]);
}
// What links say of a piece of device work, by row of Trace::device_args.
inline SliceId Linked(const TraceRows& t, uint32_t row, const std::vector<SliceId>& links) {
  const uint32_t args = t.trace().slices.args[WorkSlice(t, row)];
  return args < links.size() ? links[args] : kNoSlice;
}

inline constexpr auto kRawKernelColumns = std::to_array<Column>({
    SliceIdColumn<&TraceRows::device_work>(),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return t.trace().slices.start[WorkSlice(t, row)]; }>(
        {.name = "ts",
         .meaning = {"start, since the first event", "开始时间，从第一个事件算起"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return t.trace().slices.duration[WorkSlice(t, row)];
    }>({.name = "dur", .meaning = {"duration", "时长"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return t.trace().slices.name[WorkSlice(t, row)]; }>(
        {.name = "name",
         .meaning = {"name as the file spells it", "文件中的名称"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return Index(t.trace().slices.name[WorkSlice(t, row)]);
    }>({.name = "name_id",
        .meaning = {"key of its name", "名称的键"},
        .shown = kInSql,
        .hidden = true,
        .joins = "strings.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return t.trace().slices.kind[WorkSlice(t, row)]; }>(
        {.name = "kind",
         .meaning = {"kernel, memcpy, memset or collective",
                     "kernel、memcpy、memset 或 collective"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return WorkAt(t, row).device; }>(
        {.name = "device",
         .meaning = {"index as device events carry it", "设备事件中的编号"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return NumberOrNone(WorkAt(t, row).stream); }>(
        {.name = "stream", .meaning = {"the stream", "流"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).correlation); }>(
        {.name = "correlation",
         .meaning = {"links it to the call that launched it", "与启动它的调用的关联号"},
         .shown = kInSql,
         .joins = "call.correlation"}),
    Of<[](const TraceRows& t, uint32_t row) { return Linked(t, row, t.links().launch_of); }>(
        {.name = "launch_slice_id",
         .meaning = {"the call that launched it", "启动它的调用"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return Linked(t, row, t.links().op_of); }>(
        {.name = "op_slice_id",
         .meaning = {"the op that owns it", "所属的算子"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).grid[0]); }>(
        {.name = "grid_x", .meaning = {"blocks, x", "线程块数 x"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).grid[1]); }>(
        {.name = "grid_y", .meaning = {"blocks, y", "线程块数 y"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).grid[2]); }>(
        {.name = "grid_z", .meaning = {"blocks, z", "线程块数 z"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).block[0]); }>(
        {.name = "block_x", .meaning = {"threads of a block, x", "块内线程数 x"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).block[1]); }>(
        {.name = "block_y", .meaning = {"threads of a block, y", "块内线程数 y"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).block[2]); }>(
        {.name = "block_z", .meaning = {"threads of a block, z", "块内线程数 z"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).registers); }>(
        {.name = "registers",
         .meaning = {"registers of a thread", "每线程寄存器数"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) -> std::optional<uint32_t> {
      if (WorkAt(t, row).grid[0] == 0) return std::nullopt;
      return WorkAt(t, row).shared_memory;
    }>({.name = "shared_memory",
        .meaning = {"shared memory of a block", "每线程块的共享内存"},
        .unit = Unit::kBytes,
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(WorkAt(t, row).occupancy_percent);
    }>({.name = "occupancy",
        .meaning = {"estimated occupancy", "估计占用率"},
        .unit = Unit::kPercent,
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(WorkAt(t, row).blocks_per_sm); }>(
        {.name = "blocks_per_sm",
         .meaning = {"blocks per multiprocessor", "每个 SM 的线程块数"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(WorkAt(t, row).bytes); }>(
        {.name = "bytes",
         .meaning = {"what it copies or sets", "拷贝或置零的字节数"},
         .unit = Unit::kBytes,
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return IdOrNone(WorkAt(t, row).graph_node); }>(
        {.name = "graph_node",
         .meaning = {"node of the CUDA graph", "CUDA graph 节点"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return t.trace().Traits(WorkSlice(t, row)).category;
    }>({.name = "category",
        .meaning = {"what the name says it does: gemm, convolution, …",
                    "由名称判断的类别：gemm、convolution 等"},
        .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) -> bool {
      return t.trace().Traits(WorkSlice(t, row)).tensor_core;
    }>({.name = "tensor_core",
        .meaning = {"whether it runs on tensor cores", "是否使用张量核心"},
        .shown = kInSql}),
});

// ---- collectives
inline const CollectiveArgs& CollectiveAt(const TraceRows& t, uint32_t row) {
  const uint32_t args = t.trace().slices.args[t.collectives()[row]];
  return ArgsAt(t.trace().collectives, ArgsAt(t.trace().device_args, args).collective);
}

inline constexpr auto kRawCollectiveColumns = std::to_array<Column>({
    SliceIdColumn<&TraceRows::collectives>(),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(CollectiveAt(t, row).name); }>(
        {.name = "name",
         .meaning = {"the collective: allreduce, …", "集合通信：allreduce 等"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(CollectiveAt(t, row).dtype); }>(
        {.name = "dtype", .meaning = {"type of the elements", "元素类型"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(CollectiveAt(t, row).group); }>(
        {.name = "group_name", .meaning = {"process group", "进程组"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(CollectiveAt(t, row).group_size);
    }>({.name = "group_size", .meaning = {"ranks of the group", "组内 rank 数"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(CollectiveAt(t, row).in_elements);
    }>({.name = "in_elements", .meaning = {"elements in", "输入元素数"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) {
      return ValueOrNone(CollectiveAt(t, row).out_elements);
    }>({.name = "out_elements", .meaning = {"elements out", "输出元素数"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(CollectiveAt(t, row).bytes); }>(
        {.name = "bytes",
         .meaning = {"what it moves", "传输的字节数"},
         .unit = Unit::kBytes,
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return ValueOrNone(CollectiveAt(t, row).sequence); }>(
        {.name = "seq", .meaning = {"its number within the group", "组内序号"}, .shown = kInSql}),
});

}  // namespace stepscope::tables
