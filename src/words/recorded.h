#pragma once

#include <array>

#include "words/text.h"

// What `report` says about a recorded run.
namespace stepscope {

inline constexpr std::array kRecordedTexts = std::to_array<Text>({
    {"recorded.label", "Run", "运行"},
    {"recorded.program", "a program", "一个程序"},
    {"recorded.steps", "{steps:count} {step|steps} timed", "计时了 {steps} 步"},
    {"recorded.steps-by", "{steps:count} {step|steps} timed (by {source})",
     "计时了 {steps} 步（按 {source}）"},
    {"recorded.unprofiled", "{median:duration} median without the profiler",
     "不带 profiler 时中位数 {median}"},
    {"recorded.cost", "timing them costs {time:duration} a step", "计时每步花费 {time}"},
    {"recorded.longest", "{time:duration} the longest", "最长 {time}"},
    {"recorded.profiled", "profiled", "被采集"},
    {"recorded.gpu",
     "GPU {index:int} in use {use:percent} as nvidia-smi samples it, busy {busy:percent} by its "
     "kernels",
     "GPU {index}：nvidia-smi 采样的使用率 {use}，按 kernel 忙碌 {busy}"},
    {"recorded.gpu-more", "{text} (a period of the sampler counts as a whole when any kernel ran)",
     "{text}（采样周期内只要有 kernel 运行就整段计入）"},
    {"recorded.gpu-less", "{text} (the sampler's periods reach back to before this work)",
     "{text}（采样周期包含这些工作之前的时间）"},
    {"recorded.python", "Python lines (sampled over the whole run)", "Python 行（全程采样）"},
    {"recorded.line", "line", "行"},
    {"recorded.self", "self", "自身"},
    {"recorded.total", "total", "总计"},
    {"recorded.samples", "samples", "采样数"},
});

}  // namespace stepscope
