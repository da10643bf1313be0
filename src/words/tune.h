#pragma once

#include <array>

#include "words/text.h"

// `tune`: which setting pays.
namespace stepscope {

inline constexpr std::array kTuneTexts = std::to_array<Text>({
    {"tune.help.about",
     "Runs a program under one setting after another, in turn and several times, and says which\n"
     "setting pays, by how much and with what certainty. It compares the median step of each run\n"
     "(of a program without steps: how long it runs) by the test of `diff`.",
     "用一种又一种设置轮流多次运行程序，说明哪种设置有效、快多少、有多确定。\n"
     "比较的是每次运行的中位步（没有步的程序：运行时长），检验方法与 `diff` 相同。"},
    {"tune.help.try",
     "values of an environment variable to try; may be given several times\n(default: thread "
     "pools, and what suits the framework and the GPU)",
     "要尝试的环境变量取值；可以给多次\n（默认：线程池，以及适合框架和 GPU 的设置）"},
    {"tune.help.runs", "runs of each setting (default: as many as can prove something)",
     "每种设置运行几次（默认：足以得出结论的次数）"},
    {"tune.help.limit", "end each run after this long, like 60s; its steps still count",
     "每次运行多久后结束，如 60s；已有的步仍计入"},
    {"tune.help.threshold", "smaller differences do not count (3)", "更小的差别不算（3）"},
    {"tune.help.out", "keep what was recorded of each run, and its output",
     "保留每次运行的录制和输出"},
    {"tune.help.quiet", "no lines about progress", "不打印进度"},
    {"tune.help.example", "what is usually worth trying", "通常值得尝试的设置"},
    {"tune.help.example-threads", "thread counts, a minute each", "各种线程数，每次一分钟"},
    {"tune.bad-limit", "--limit takes a time like 60s, not '{text}'",
     "--limit 需要 60s 这样的时间，不能是“{text}”"},
    {"tune.no-folder", "the folder for the runs cannot be made, or is not empty",
     "无法创建存放运行结果的目录，或者它不是空的"},
    {"tune.give-out", "give --out a new place that can be written",
     "请用 --out 指定一个可写的新位置"},
    {"tune.no-limit", "leave out --limit, or give the program less to do",
     "请去掉 --limit，或让程序少做一些"},
    {"tune.run-alone", "run it alone first; above is the end of what it printed",
     "请先单独运行它；上面是它输出的末尾"},
    {"tune.bad-try",
     "--try takes a variable and its values, like OMP_NUM_THREADS=1,2,4, not '{text}'",
     "--try 需要变量及其取值，例如 OMP_NUM_THREADS=1,2,4，而不是“{text}”"},
    {"tune.no-steps",
     "no steps were seen, and a run that --limit cuts short has no length of its own",
     "没有看到任何一步，而被 --limit 截断的运行没有自己的时长"},
    {"tune.fails-as-it-is", "the program fails as it is: {how}", "程序不作任何改动就会失败：{how}"},
    {"tune.interrupted", "interrupted before every setting had run", "在所有设置运行完之前被中断"},
    {"tune.exit-code", "exit code {code:int}", "退出码 {code}"},
    {"tune.signal", "signal {signal:int}", "信号 {signal}"},
    {"tune.as-it-is", "as it is", "保持原样"},
    {"tune.setting", "{variables}", "{variables}"},
    {"tune.heading.step", "Setting (median step of each run)", "设置（每次运行的中位步）"},
    {"tune.heading.run", "Setting (length of each run)", "设置（每次运行的时长）"},
    {"tune.column.median", "median", "中位数"},
    {"tune.column.change", "change", "变化"},
    {"tune.column.interval", "95 % interval", "95 % 区间"},
    {"tune.column.p", "p", "p"},
    {"tune.column.result", "result", "结果"},
    {"tune.faster", "faster", "更快"},
    {"tune.slower", "slower", "更慢"},
    {"tune.same", "no difference", "没有差别"},
    {"tune.cannot-tell", "cannot tell; about {runs:int} runs each would",
     "无法判断；每种大约需要 {runs} 次运行"},
    {"tune.failed", "failed: {how}", "失败：{how}"},
    {"tune.lost", "not tried: the program sets {variable} itself and could not be overruled",
     "未能尝试：程序自己设置了 {variable}，无法替换"},
    {"tune.pays.step",
     "{setting} pays: the step takes {now:duration} instead of {base:duration} "
     "({percent:.1f} % less).",
     "{setting} 有效：每步用时 {now}，原为 {base}（减少 {percent} %）。"},
    {"tune.pays.run",
     "{setting} pays: the run takes {now:duration} instead of {base:duration} "
     "({percent:.1f} % less).",
     "{setting} 有效：运行用时 {now}，原为 {base}（减少 {percent} %）。"},
    {"tune.nothing-pays", "No setting is proven faster than the program as it is.",
     "没有任何设置被证明比原样更快。"},
    {"tune.drift",
     "The machine drifted: the last round took {percent:.1f} % {direction} than the first. "
     "Settings took turns, so this favours none, but it hides small differences.",
     "机器状态有漂移：最后一轮比第一轮{direction} {percent} "
     "%。各设置轮流运行，因此漂移不偏向任何一个，但会掩盖小的差别。"},
    {"tune.longer", "longer", "慢"},
    {"tune.shorter", "shorter", "快"},
    {"tune.overruled",
     "The program sets {what} to {value} itself; it got the value that was tried.",
     "程序自己把 {what} 设为 {value}；实际使用的是被尝试的值。"},
    {"tune.progress", "stepscope: run {run:int} of {runs:int}: {setting}",
     "stepscope: 第 {run} 次运行，共 {runs} 次：{setting}"},
    {"tune.first-run", "stepscope: a first run, which is not counted: it fills caches",
     "stepscope: 第一次运行不计入结果：它用来填充缓存"},
});

}  // namespace stepscope
