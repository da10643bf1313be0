#pragma once

#include <array>

#include "words/text.h"

// What a recording says that it lacks. A recording has the English; the library that CUDA loads and
// the hook inside the program write it without these tables (scripts/check-words compares them),
// and who reads a recording finds the message by it.
namespace stepscope {

inline constexpr std::array kLossTexts = std::to_array<Text>({
    {"loss.no-cupti",
     "CUPTI (libcupti.so) is not found, so kernels are not recorded: install it (apt install "
     "libcupti-dev) or name it in STEPSCOPE_CUPTI",
     "找不到 CUPTI（libcupti.so），因此没有录制 kernel：请安装（apt install libcupti-dev），或用 "
     "STEPSCOPE_CUPTI 指定它"},
    {"loss.old-cupti", "this CUPTI lacks functions that recording needs: use one of CUDA 12 or 13",
     "这个 CUPTI 缺少录制所需的函数：请使用 CUDA 12 或 13 的版本"},
    {"loss.cupti-dropped", "CUPTI dropped records: its buffers were full",
     "CUPTI 丢弃了记录：缓冲区已满"},
    {"loss.cupti-times", "CUPTI could not collect the times of some kernels or copies",
     "CUPTI 没能取得部分 kernel 或拷贝的时间"},
    {"loss.torch-records",
     "kernels of PyTorch are recorded by its own profiler: leave out --no-hook, or add it to the "
     "program",
     "PyTorch 的 kernel 由它自己的 profiler 录制：请去掉 --no-hook，或在程序中加入 profiler"},
    {"loss.cupti-taken",
     "CUPTI is used by another tool (nsys, ncu, a debugger): kernels are not recorded",
     "CUPTI 正被其他工具使用（nsys、ncu、调试器）：没有录制 kernel"},
    {"loss.torch-alone",
     "the program's own torch.profiler had the GPU to itself: its kernels are in its profile",
     "程序自己的 torch.profiler 独占了 GPU：kernel 在它的 profile 里"},
    {"loss.own-profiler",
     "the program runs {profiler} itself: its profile is its own, and none was taken beside it",
     "程序自己运行了 {profiler}：profile 归它自己，没有另外采集"},
    {"loss.window-ends",
     "the program started its own profiler in the window: the recording's profile ends there",
     "程序在采集窗口内启动了自己的 profiler：录制的 profile 到此为止"},
    {"loss.hook-failed", "the hook failed in {function}: {error}",
     "hook 在 {function} 中出错：{error}"},
    {"loss.no-optimizer-hook",
     "this PyTorch has no hook on optimizer steps (2.0 has): steps are marked by DataLoader "
     "batches",
     "这个 PyTorch 没有优化器 step 的钩子（2.0 起才有）：改用 DataLoader 的 batch 划分各步"},
    {"loss.unknown-python",
     "Python of an unknown version is not one whose stacks can be read (3.9 to 3.14): functions "
     "are not named",
     "Python 版本未知，无法读取它的调用栈（只支持 3.9 到 3.14）：没有函数名"},
    {"loss.other-python",
     "Python {version} is not one whose stacks can be read (3.9 to 3.14): functions are not named",
     "无法读取 Python {version} 的调用栈（只支持 3.9 到 3.14）：没有函数名"},
    {"loss.no-ptrace",
     "the system forbids reading the program's memory, so its functions are not named: run the "
     "container with --cap-add SYS_PTRACE",
     "系统禁止读取程序的内存，因此没有函数名：请用 --cap-add SYS_PTRACE 运行容器"},
    {"loss.not-whole", "the recording is not whole: {why}", "录制不完整：{why}"},
    {"loss.no-hook",
     "no step times and no framework's profile: {why}; set TMPDIR to a folder that can be written",
     "没有各步时间，也没有框架的 profile：{why}；请把 TMPDIR 设为可写的目录"},
    {"loss.no-framework", "it has imported no framework", "它还没有导入任何框架"},
    {"loss.being-recorded", "its profile is being recorded at the moment",
     "它的性能数据正在录制中"},
});

}  // namespace stepscope
