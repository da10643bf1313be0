#pragma once

#include <array>

#include "words/text.h"

// What `nan` finds.
namespace stepscope {

inline constexpr std::array kNanTexts = std::to_array<Text>({
    {"nan.eager-op", "{op} (eager, execution {index})", "{op}（eager，第 {index} 次执行）"},
    {"nan.graph-op", "{op} ({type}) in graph {graph}", "{op}（{type}），位于图 {graph}"},
    {"nan.eager", "(eager)", "（eager）"},
    {"nan.library-frames", "{n:count} library {frame|frames}", "{n} 个库内栈帧"},
    {"nan.in-function", "{file}:{line} in {function}", "{file}:{line}，函数 {function}"},
    {"nan.not-recorded", "not recorded", "未记录"},
    {"nan.not-known", "not known", "未知"},
    {"nan.finite", "finite", "有限"},
    {"nan.bad", "bad", "异常"},
    {"nan.bad-or", "NaN or Inf", "NaN 或 Inf"},
    {"nan.bad-of", "{kinds} of {size:count}", "{size} 个中有 {kinds}"},
    {"nan.from-op", "from {op} ({type}): {state}", "来自 {op}（{type}）：{state}"},
    {"nan.to-op", "to   {op} ({type}): {state}", "去往 {op}（{type}）：{state}"},
    {"nan.source", "source", "源头"},
    {"nan.then", "then", "随后"},
    {"nan.output", "output {slot}: {values}", "输出 {slot}：{values}"},
    {"nan.was-argument",
     "the value was already bad when it came into the graph: look at what is fed in",
     "该值进入计算图时就已异常：请检查喂入的数据"},
    {"nan.all-had-bad-input", "every bad op had a bad input; this is the first of them",
     "每个异常的 op 都有异常输入；这是其中最早的一个"},
    {"nan.inputs-finite", "all its inputs were finite", "它的所有输入都是有限值"},
    {"nan.recorded-inputs-finite", "no recorded input was bad (some were not recorded)",
     "已记录的输入都正常（有些输入没有记录）"},
    {"nan.called-from", "called from", "调用位置"},
    {"nan.created-at", "created at", "创建位置"},
    {"nan.around", "around it", "上下游"},
    {"nan.argument", "argument", "参数"},
    {"nan.made-inside", "made inside", "内部产生"},
    {"nan.column.type", "type", "类型"},
    {"nan.column.graph", "graph", "图"},
    {"nan.column.step", "step", "step"},
    {"nan.column.values", "values", "数值"},
    {"nan.column.inputs", "inputs", "输入"},
    {"nan.column.run", "run", "运行"},
    {"nan.column.value", "value", "数值"},
    {"nan.column.first-bad", "first bad step", "首个异常 step"},
    {"nan.column.last-finite", "last finite step", "最后的正常 step"},
    {"nan.heading.scalar", "scalar", "标量"},
    {"nan.heading.spread", "spread to", "扩散到"},
    {"nan.heading.first", "first of each graph", "每个图中最早的"},
    {"nan.heading.all", "all bad outputs, in order", "所有异常输出，按先后排列"},
    {"nan.none", "none", "无"},
    {"nan.more", "and {n:count} more (--all)", "另有 {n} 个（--all）"},
    {"nan.cannot-tell",
     "the dump was recorded with mode {modes}, which keeps no health numbers: it cannot tell NaN "
     "or Inf.\nRecord with FULL_HEALTH, at the top of the program:",
     "该转储以 {modes} 模式录制，没有数值健康信息，无法判断 NaN 或 Inf。\n"
     "请在程序开头以 FULL_HEALTH 模式录制："},
    {"nan.at-byte", "{file} at byte {offset}: {fault}", "{file} 第 {offset} 字节：{fault}"},
    {"nan.nothing-bad",
     "no NaN or Inf in {executions:count} eager {execution|executions} and {outputs:count} graph "
     "{output|outputs}",
     "{executions} 次 eager 执行和 {outputs} 个图输出中没有 NaN 或 Inf"},
    {"nan.no-message", "no CheckNumerics message in this log. To get one:",
     "该日志中没有 CheckNumerics 消息。要得到它："},
    {"nan.or-dump", "or a dump that finds the source by itself:", "或者录制能自动定位源头的转储："},
    {"nan.line", "(line {line})", "（第 {line} 行）"},
    {"nan.all-finite", "every scalar stayed finite", "所有标量始终是有限值"},
    {"nan.which-op",
     "Which op made it: record a dump around step {step} and run stepscope nan on it",
     "要知道是哪个 op 产生的：在 step {step} 附近录制转储，再对它运行 stepscope nan"},
});

}  // namespace stepscope
