#pragma once

#include <array>

#include "words/text.h"

// What `events` finds.
namespace stepscope {

inline constexpr std::array kEventsTexts = std::to_array<Text>({
    {"events.at-byte", "{file} at byte {offset}: {fault}.", "{file} 第 {offset} 字节：{fault}。"},
    {"events.still-written",
     "{file} at byte {offset}: the last record is still being written ({bytes} so far).",
     "{file} 第 {offset} 字节：最后一条记录仍在写入（目前 {bytes}）。"},
    {"events.behind-fault",
     "{file}: {n:count} {event|events} behind the fault were read; TensorBoard drops them.",
     "{file}：损坏处之后的 {n} 个事件已读取；TensorBoard 会丢弃它们。"},
    {"events.began-again",
     "run {run} began again at step {step}: {n:count} {point|points} of that step or later hidden, "
     "as TensorBoard does (--raw shows them).",
     "运行 {run} 在 step {step} 重新开始：该 step 及之后的 {n} 个旧数据点已隐藏，与 TensorBoard "
     "一致（--raw 可显示）。"},
    {"events.session-start",
     "run {run} has a session start at step {step} after data of that step or later: TensorBoard "
     "drops that data; it is kept here.",
     "运行 {run} 在 step {step} 有会话开始标记，而此前已有该 step 或之后的数据：TensorBoard "
     "会丢弃这些数据；这里予以保留。"},
    {"events.ends-inside",
     "The file ends inside of a record ({bytes} bytes of it); it is still being written, or it was "
     "cut.",
     "文件在一条记录中间结束（该记录只有 {bytes} 字节）；它仍在写入，或被截断。"},
    {"events.column.kind", "kind", "种类"},
    {"events.column.count", "count", "数量"},
    {"events.column.first-step", "first step", "首个 step"},
    {"events.column.last-step", "last step", "末个 step"},
    {"events.column.last-value", "last value", "最新值"},
    {"events.column.min", "min", "最小"},
    {"events.column.max", "max", "最大"},
    {"events.column.step", "step", "step"},
    {"events.column.run", "run", "运行"},
    {"events.column.tag", "tag", "标签"},
    {"events.column.steps", "steps", "step 数"},
    {"events.column.seconds", "seconds", "秒"},
    {"events.column.rate", "steps/s", "step/秒"},
    {"events.column.median", "median", "中位数"},
    {"events.no-tags", "no tags", "没有标签"},
    {"events.slow-period",
     "{run}: steps {first} to {last} from {time} UTC took {seconds:.1f} s, {rate:.4g} steps/s: "
     "{times:.1f} times slower",
     "{run}：step {first} 到 {last}（始于 {time} UTC）用了 {seconds} 秒，每秒 {rate} step，慢 "
     "{times} 倍"},
    {"events.slow-periods", "slow periods (below half the median rate)",
     "慢的时段（低于中位速率的一半）"},
    {"events.followed", "{time}  {tag}  step {step}  {value}",
     "{time}  {tag}  step {step}  {value}"},
    {"events.starts", "run {run} starts at step {step}", "运行 {run} 从 step {step} 开始"},
    {"events.written", "{file}  {n} bytes", "{file}  {n} 字节"},
    {"events.nothing-inside", "no graph or run metadata in these event files",
     "这些事件文件中没有计算图或 RunMetadata"},
    {"events.no-scalars", "no scalars to plot", "没有可画的标量"},
    {"events.not-finite", "({n} points not finite)", "（{n} 个点不是有限值）"},
    {"events.no-finite", "no finite points", "没有有限值的点"},
});

}  // namespace stepscope
