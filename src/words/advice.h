#pragma once

#include <array>

#include "words/text.h"

// What findings of several rules say.
namespace stepscope {

inline constexpr std::array kAdviceTexts = std::to_array<Text>({
    {"advice.of-step", "{time:duration} of each {step:duration} step ({share:percent})",
     "每步 {step} 中的 {time}（{share}）"},
    {"advice.of-profiled-step",
     "{time:duration} of each {step:duration} profiled step ({share:percent})",
     "每个被分析的步 {step} 中的 {time}（{share}）"},
    {"advice.of-mean-step",
     "{time:duration} a step on average (the median step takes {step:duration})",
     "平均每步 {time}（步的中位数为 {step}）"},
    {"advice.of-profile",
     "{time:duration} of the {whole:duration} that the profile lasts ({share:percent})",
     "整份性能数据 {whole} 中的 {time}（{share}）"},
    {"advice.a-step", "a step", "每步"},
    {"advice.in-all", "in all", "总共"},
    {"advice.counted", "{count:mean} {each}", "{each} {count} 次"},
    {"advice.log-says", "The log says: {line}", "日志：{line}"},
    {"advice.needs-machine",
     "the machine: give --machine FILE, written by `stepscope doctor --json` where the job runs",
     "机器信息：给出 --machine FILE，由作业所在机器上的 `stepscope doctor --json` 写出"},
    {"advice.needs-log", "the job's log: give --log FILE", "作业的日志：给出 --log FILE"},
    {"advice.needs-graph",
     "the graph: give the GraphDef beside the RunMetadata, or a profile that holds it (stepscope "
     "events LOGDIR --extract DIR writes the graph of an event file)",
     "计算图：与 RunMetadata 一起给出 GraphDef，或给出含有计算图的性能数据（stepscope events "
     "LOGDIR "
     "--extract DIR 可写出事件文件里的计算图）"},
    {"advice.needs-memory", "memory events: record them (PyTorch: profile_memory=True)",
     "内存事件：请录制（PyTorch：profile_memory=True）"},
    {"advice.needs-gpu-model",
     "the GPU's model, which the profile does not name: give --machine FILE, written by `stepscope "
     "doctor --json` where the job runs",
     "GPU 型号（性能数据没有写明）：给出 --machine FILE，由作业所在机器上的 `stepscope doctor "
     "--json` 写出"},
    {"advice.needs-memory-size", "the size of the device's memory: the profile does not name it",
     "显存大小：这份性能数据没有写明"},
    {"advice.needs-dataset", "the input files: give --dataset DIR", "输入文件：给出 --dataset DIR"},
    {"advice.needs-steps", "steps: mark them (prof.step(), StepTraceAnnotation)",
     "步：请标记（prof.step()、StepTraceAnnotation）"},
    {"advice.needs-ranks", "the other ranks: give the directory that holds all of them",
     "其他 rank：给出包含全部 rank 的目录"},
    {"advice.at-least", "Lower end: {means}.", "下限：{means}。"},
    {"advice.at-most", "Upper end: {means}.", "上限：{means}。"},
    {"advice.between", "Lower end: {lo}; upper end: {hi}.", "下限：{lo}；上限：{hi}。"},
    {"advice.no-gain", "Alone it gains little: the step waits for something else at the same time.",
     "单独改动收益很小：步同时还在等别的东西。"},
    {"advice.no-replay", "How much of it is gained depends on what takes its place.",
     "能省多少取决于用什么代替。"},
    {"advice.unlike", "How much of it is gained the profile does not show.",
     "能省多少，性能数据看不出来。"},
    {"advice.rates", "Rates", "速率"},
    {"advice.rates.full", "{rate:.1f} per second", "每秒 {rate}"},
    {"advice.rates.trivial", "{before}; trivial model {rate:.1f} ({ratio:.2f} ×)",
     "{before}；极小模型 {rate}（{ratio} ×）"},
    {"advice.rates.synthetic", "{before}; synthetic data {rate:.1f} ({ratio:.2f} ×)",
     "{before}；合成数据 {rate}（{ratio} ×）"},
    {"advice.rates.told", "{rates}: {verdict}.", "{rates}：{verdict}。"},
    {"advice.rates.neither", "neither input nor the model sets the pace", "输入和模型都不决定快慢"},
    {"advice.rates.input", "input sets the pace", "输入决定快慢"},
    {"advice.rates.model", "the model sets the pace", "模型决定快慢"},
    {"advice.rates.both", "input and the model both take their part", "输入和模型各占一部分"},
});

}  // namespace stepscope
