#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

// What only stages of tf.data have.
template <typename T>
std::optional<T> OfTfData(const InputStage& stage, std::optional<T> value) {
  return stage.total.ns > 0 ? value : std::nullopt;
}
template <typename T>
std::optional<T> OfTfData(const InputStage& stage, T value) {
  return OfTfData(stage, std::optional(value));
}

inline constexpr auto kInputStageColumns = std::to_array<Column>({
    Of<&InputStage::name>({.name = "name",
                           .meaning = {"the stage", "阶段名称"},
                           .title = {"Name", "名称"},
                           .page = {.place = 1}}),
    Of<&InputStage::path>({.name = "path",
                           .meaning = {"where it is in the pipeline", "在输入流水线中的位置"},
                           .title = {"Path", "路径"},
                           .page = {.place = 2}}),
    Of<&InputStage::self>({.name = "self_ns",
                           .meaning = {"its time less the stages inside", "自身时间，减去内部阶段"},
                           .title = {"Self", "自身"},
                           .page = {.place = 4, .bar = true}}),
    Of<&InputStage::calls>({.name = "calls",
                            .meaning = {"how often it ran", "运行次数"},
                            .title = {"Calls", "次数"},
                            .page = {.place = 3}}),
    Of<&InputStage::user_written>(
        {.name = "user_written",
         .meaning = {"whether it runs the user's own code", "是否运行用户自己的代码"},
         .title = {"User code", "用户代码"},
         .page = {.place = 5}}),
    Of<[](const InputStage& row) { return OfTfData(row, row.total); }>(
        {.name = "total_ns",
         .meaning = {"tf.data: its time, stages inside included", "tf.data：总时间，包含内部阶段"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
    Of<[](const InputStage& row) { return OfTfData(row, row.blocking); }>(
        {.name = "blocking_ns",
         .meaning = {"tf.data: of the program's waits; adds up to them over all stages",
                     "tf.data：程序等待中归于此阶段的部分；各阶段合计等于全部等待"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
    Of<[](const InputStage& row) -> std::optional<std::string_view> {
      if (row.written_as.empty()) return std::nullopt;
      return OfTfData(row, std::string_view(row.written_as));
    }>({.name = "written_as",
        .meaning = {"tf.data: the dataset's own name", "tf.data：数据集自身的名称"},
        .nulls = Nulls::kAbsent,
        .shown = kInJson}),
    Of<[](const InputStage& row) { return OfTfData(row, row.parallelism); }>(
        {.name = "parallelism",
         .meaning = {"tf.data: how many run at once", "tf.data：并行度"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
    Of<[](const InputStage& row) { return OfTfData(row, row.buffer_limit); }>(
        {.name = "buffer_limit",
         .meaning = {"tf.data: elements that its buffer holds", "tf.data：缓冲区容量"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
    Of<[](const InputStage& row) { return OfTfData(row, row.buffered); }>(
        {.name = "buffered_mean",
         .meaning = {"tf.data: elements that calls found in the buffer, mean",
                     "tf.data：调用时缓冲区内元素数的平均值"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
    Of<[](const InputStage& row) {
      return row.buffered ? OfTfData(row, row.buffer_seen) : std::nullopt;
    }>({.name = "buffer_seen",
        .meaning = {"tf.data: calls that say so", "tf.data：记录了该值的调用次数"},
        .nulls = Nulls::kAbsent,
        .shown = kInJson}),
    Of<[](const InputStage& row) {
      return row.buffered ? OfTfData(row, row.buffer_empty) : std::nullopt;
    }>({.name = "buffer_empty",
        .meaning = {"tf.data: of them those that found none", "tf.data：其中缓冲区为空的次数"},
        .nulls = Nulls::kAbsent,
        .shown = kInJson}),
    Of<[](const InputStage& row) { return OfTfData(row, row.autotuned); }>(
        {.name = "autotuned",
         .meaning = {"tf.data: whether it tunes itself", "tf.data：是否自动调优"},
         .nulls = Nulls::kAbsent,
         .shown = kInJson}),
});

}  // namespace stepscope::tables
