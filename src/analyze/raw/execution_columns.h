#pragma once

#include <array>

#include "analyze/raw/work_columns.h"
#include "read/execution_trace/execution_rows.h"

// PyTorch's execution trace, where one was given with the profile: what every op was given and
// made, and which op wrote each tensor that it was given.
namespace stepscope::tables {

inline const ExecutionNode& NodeAt(const TraceRows& t, uint32_t row) {
  return t.execution().nodes[row];
}
inline std::optional<uint32_t> NodeSlice(const TraceRows& t, uint32_t node) {
  if (node == kNoRow) return std::nullopt;
  return RowOrNone(NodeAt(t, node).slice);
}

inline constexpr auto kExecutionNodeColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return NodeSlice(t, row); }>(
        {.name = "slice_id",
         .meaning = {"the same call in the profile", "性能数据中的同一次调用"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return NodeAt(t, row).id; }>(
        {.name = "node",
         .meaning = {"its number in the execution trace", "在执行记录中的编号"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return RowOrNone(NodeAt(t, row).parent); }>(
        {.name = "parent_id",
         .meaning = {"the call around it", "外层调用"},
         .shown = kInSql,
         .joins = "execution_node.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return NodeAt(t, row).name; }>(
        {.name = "name", .meaning = {"the op", "算子"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).input_values); }>(
        {.name = "input_values",
         .meaning = {"what it was given; a tensor is [tensor, storage, offset, elements, bytes of "
                     "one, device]",
                     "输入值；张量写作 [张量, 存储, 偏移, 元素数, 每个元素的字节数, 设备]"},
         .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).input_dims); }>(
        {.name = "input_dims", .meaning = {"shapes of the inputs", "输入形状"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).input_types); }>(
        {.name = "input_types", .meaning = {"types of the inputs", "输入类型"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).output_values); }>(
        {.name = "output_values", .meaning = {"what it made", "输出值"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).output_dims); }>(
        {.name = "output_dims", .meaning = {"shapes of the outputs", "输出形状"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).output_types); }>(
        {.name = "output_types", .meaning = {"types of the outputs", "输出类型"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(NodeAt(t, row).schema); }>(
        {.name = "schema", .meaning = {"signature of the op", "算子的签名"}, .shown = kInSql}),
});

inline const TensorUse& UseAt(const TraceRows& t, uint32_t row) {
  return t.execution().tensors[row];
}

inline constexpr auto kTensorUseColumns = std::to_array<Column>({
    IdColumn({"row number", "行号"}),
    TraceIdColumn(),
    Of<[](const TraceRows& t, uint32_t row) { return UseAt(t, row).node; }>(
        {.name = "node_id",
         .meaning = {"the call that was given it", "使用它的调用"},
         .shown = kInSql,
         .joins = "execution_node.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return NodeSlice(t, UseAt(t, row).node); }>(
        {.name = "slice_id",
         .meaning = {"that call in the profile", "该调用在性能数据中的 slice"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return RowOrNone(UseAt(t, row).writer); }>(
        {.name = "writer_id",
         .meaning = {"the innermost call that wrote it last before", "之前最后写它的最内层调用"},
         .shown = kInSql,
         .joins = "execution_node.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return NodeSlice(t, UseAt(t, row).writer); }>(
        {.name = "writer_slice_id",
         .meaning = {"that call in the profile", "该调用在性能数据中的 slice"},
         .shown = kInSql,
         .joins = "slice.id"}),
    Of<[](const TraceRows& t, uint32_t row) { return UseAt(t, row).tensor; }>(
        {.name = "tensor", .meaning = {"the tensor", "张量"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return UseAt(t, row).storage; }>(
        {.name = "storage", .meaning = {"its memory", "所在的存储"}, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return UseAt(t, row).bytes; }>(
        {.name = "bytes", .meaning = {"its size", "大小"}, .unit = Unit::kBytes, .shown = kInSql}),
    Of<[](const TraceRows& t, uint32_t row) { return TextOrNone(UseAt(t, row).device); }>(
        {.name = "device", .meaning = {"where it is", "所在设备"}, .shown = kInSql}),
});

}  // namespace stepscope::tables
