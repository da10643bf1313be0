#pragma once

#include <array>

#include "words/text.h"

// What recording a program can say, and what `doctor` says about recording.
namespace stepscope {

inline constexpr std::array kRecordTexts = std::to_array<Text>({
    {"record.window.steps", "recording steps {first:int} … {last:int}",
     "正在录制第 {first} … {last} 步"},
    {"record.window.from", "recording from step {first:int}", "从第 {first} 步开始录制"},
    {"record.window.rank", "{line} of rank {rank}", "{line}（rank {rank}）"},
    {"record.window.with", "{line} · {what}", "{line} · {what}"},
    {"record.no-pipe", "cannot make a pipe: {reason}", "无法创建管道：{reason}"},
    {"record.cannot-run", "cannot run the program: {reason}", "无法运行程序：{reason}"},
    {"record.cannot-make", "cannot make the directory: {reason}", "无法创建目录：{reason}"},
    {"record.check-program", "check the name after --; the shell's built-ins are no programs",
     "请检查 -- 之后的名字；shell 内建命令不是程序"},
    {"record.no-temporary", "cannot make a temporary folder: {reason}",
     "无法创建临时目录：{reason}"},
    {"record.set-tmpdir", "set TMPDIR to a folder that can be written",
     "请把 TMPDIR 设为可写的目录"},
    {"record.cannot-write-hook", "cannot write the hook", "无法写入 hook"},
    {"record.not-empty", "the directory of --out is not empty", "--out 指定的目录不是空的"},
    {"record.new-directory", "give a new one; recordings are never overwritten",
     "请给一个新目录；录制从不覆盖已有内容"},
    {"record.writable", "give --out a place that can be written", "请把 --out 指到可写的位置"},
    {"record.nowhere", "neither this directory nor the temporary one can be written",
     "当前目录和临时目录都不可写"},
    {"record.python.known", "Python 3.{minor:int}: record reads its stacks",
     "Python 3.{minor}：record 可以读取其调用栈"},
    {"record.python.unknown",
     "Python 3.{minor:int}: record cannot read its stacks (3.9 to 3.14 can be read)",
     "Python 3.{minor}：record 无法读取其调用栈（支持 3.9 到 3.14）"},
    {"record.python.unknown-fix",
     "Step times and the framework's profile are recorded; functions are not named.",
     "仍会记录步时间和框架的性能数据，但没有函数名。"},
    {"record.memory.readable", "record may read the memory of programs that it starts",
     "record 可以读取它所启动的程序的内存"},
    {"record.memory.forbidden", "record may not read the memory of programs that it starts",
     "record 不能读取它所启动的程序的内存"},
    {"record.memory.forbidden-fix",
     "Functions of Python are not named: run the container with --cap-add SYS_PTRACE, or set "
     "kernel.yama.ptrace_scope to 1.",
     "没有 Python 函数名：用 --cap-add SYS_PTRACE 运行容器，或把 kernel.yama.ptrace_scope 设为 "
     "1。"},
    {"record.injection", "CUDA_INJECTION64_PATH is set: {path}",
     "已设置 CUDA_INJECTION64_PATH：{path}"},
    {"record.injection-fix",
     "Another tool records the GPU; record leaves it to that tool. Unset it to record kernels.",
     "另一工具正在记录 GPU，record 不与其争用。要记录 kernel，请取消设置。"},
    {"record.daemon", "KINETO_USE_DAEMON is set", "已设置 KINETO_USE_DAEMON"},
    {"record.daemon-fix",
     "PyTorch takes CUPTI at its start: record --native sees no kernels. Unset it, or record "
     "without --native.",
     "PyTorch 启动时就占用 CUPTI：record --native 看不到 kernel。请取消设置，或不用 --native。"},
    {"record.teardown", "TEARDOWN_CUPTI={value}", "TEARDOWN_CUPTI={value}"},
    {"record.teardown-fix",
     "PyTorch's profiler stays in CUPTI after the window, and launch-bound steps stay 17 to 33 % "
     "slower: unset it.",
     "窗口结束后 PyTorch 的 profiler 仍占用 CUPTI，受启动限制的步会一直慢 17 到 33 "
     "%：请取消设置。"},
    {"record.scheduler", "The kernel counts how long threads wait for a CPU",
     "内核会统计线程等待 CPU 的时间"},
    {"record.no-scheduler", "The kernel does not count how long threads wait for a CPU",
     "内核不统计线程等待 CPU 的时间"},
    {"record.no-scheduler-fix", "record cannot tell starved threads; a kernel with schedstats can.",
     "record 无法识别得不到 CPU 的线程；需要带 schedstats 的内核。"},
    {"record.no-pressure", "The kernel has no pressure counters (/proc/pressure)",
     "内核没有压力计数器（/proc/pressure）"},
    {"record.no-pressure-fix", "record shows no pressure on CPU, disk and memory: boot with psi=1.",
     "record 不显示 CPU、磁盘和内存的压力：请用 psi=1 启动。"},
});

}  // namespace stepscope
