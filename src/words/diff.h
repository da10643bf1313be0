#pragma once

#include <array>

#include "words/text.h"

// What a comparison of two profiles says.
namespace stepscope {

inline constexpr std::array kDiffTexts = std::to_array<Text>({
    {"diff.slower", "The step is slower: {base:duration} → {new:duration} ({change}).",
     "步变慢了：{base} → {new}（{change}）。"},
    {"diff.faster", "The step is faster: {base:duration} → {new:duration} ({change}).",
     "步变快了：{base} → {new}（{change}）。"},
    {"diff.same", "The step takes the same time: {base:duration} → {new:duration} ({change}).",
     "步的时间相同：{base} → {new}（{change}）。"},
    {"diff.cannot-tell",
     "Cannot tell whether the step changed: {base:duration} → {new:duration} ({change}) is within "
     "what may be noise.",
     "无法判断步是否变化：{base} → {new}（{change}）可能只是噪声。"},
    {"diff.host-slower",
     "Cannot tell: the device did the same work; the host was slower everywhere ({base:duration} → "
     "{new:duration} a step, {change}).",
     "无法判断：设备做了相同的工作；主机处处更慢（每步 {base} → {new}，{change}）。"},
    {"diff.host-faster",
     "Cannot tell: the device did the same work; the host was faster everywhere ({base:duration} → "
     "{new:duration} a step, {change}).",
     "无法判断：设备做了相同的工作；主机处处更快（每步 {base} → {new}，{change}）。"},
    {"diff.host-slower-in",
     "Cannot tell: the device did the same work; the host was slower, most of all in {node} "
     "({delta:duration} more; {base:duration} → {new:duration} a step, {change}).",
     "无法判断：设备做了相同的工作；主机更慢，主要在 {node}（多 {delta}；每步 {base} → "
     "{new}，{change}）。"},
    {"diff.host-faster-in",
     "Cannot tell: the device did the same work; the host was faster, most of all in {node} "
     "({delta:duration} less; {base:duration} → {new:duration} a step, {change}).",
     "无法判断：设备做了相同的工作；主机更快，主要在 {node}（少 {delta}；每步 {base} → "
     "{new}，{change}）。"},
    {"diff.one-run",
     "One run a side cannot tell a change of the program from noise of the host; {runs:int} runs a "
     "side can.",
     "每侧只有一次运行，无法区分程序的变化与主机的噪声；每侧 {runs} 次运行即可判断。"},
    {"diff.more-runs", "{runs:int} runs a side would tell.", "每侧 {runs} 次运行即可判断。"},
    {"diff.no-steps",
     "A side has no steps that can be used, so only times per call are compared and nothing is "
     "judged.",
     "有一侧没有可用的步，因此只比较每次调用的时间，不作判断。"},
    {"diff.other-ranks",
     "The sides are not comparable: {base} against {new} ranks. Give the same ranks on both sides, "
     "or --force.",
     "两侧不可比较：{base} 个 rank 对 {new} 个 rank。请在两侧给出相同的 rank，或使用 --force。"},
    {"diff.other-framework",
     "The sides are not comparable line by line: {base} against {new}. --force judges the step all "
     "the same.",
     "两侧无法逐行比较：{base} 对 {new}。使用 --force 仍可判断步的时间。"},
    {"diff.other-device",
     "The devices differ ({base} against {new}): no gate on time without --force.",
     "设备不同（{base} 对 {new}）：没有 --force 时不按时间设门槛。"},
    {"diff.nothing-in-common",
     "The two sides have nothing in common: no op and no kernel of one occurs in the other.",
     "两侧毫无共同之处：一侧的算子和 kernel 在另一侧都不出现。"},
    {"diff.damaged-base",
     "Cannot tell: the file of the base is damaged, and what it lost cannot be told from what the "
     "program did not do.",
     "无法判断：基准一侧的文件已损坏，丢失的内容与程序没有做的事无法区分。"},
    {"diff.damaged-new",
     "Cannot tell: the file of the new side is damaged, and what it lost cannot be told from what "
     "the program did not do.",
     "无法判断：新的一侧的文件已损坏，丢失的内容与程序没有做的事无法区分。"},
    {"diff.damaged-both",
     "Cannot tell: the files of both sides are damaged, and what they lost cannot be told from "
     "what the programs did not do.",
     "无法判断：两侧的文件都已损坏，丢失的内容与程序没有做的事无法区分。"},
    {"diff.damaged-left-out", "{runs:int} damaged {run was|runs were} left out.",
     "{runs} 次运行的文件已损坏，未参与比较。"},
    {"diff.copies",
     "{runs:int} {run is a copy|runs are copies} of another: a recording counts once.",
     "{runs} 次运行是另一次的副本：每份记录只算一次。"},
    {"diff.same-file", "Both sides are the same recording.", "两侧是同一份记录。"},
    {"diff.uneven-runs",
     "{base:int} {run|runs} against {new:int} {run|runs}: one run does not show how much runs "
     "differ, so steps are compared.",
     "{base} 次运行对 {new} 次运行：一次运行看不出运行之间的差异，因此按步比较。"},
    {"diff.report-baseline",
     "A side is a report, whose tables are sums over the profile: nodes are means per step and are "
     "not tested. A baseline of diff --save-baseline has them step by step.",
     "有一侧是报告，其表格是整份数据的合计：节点为每步均值，不作检验。diff --save-baseline "
     "的基线含有逐步数据。"},
    {"diff.by-kernel",
     "The ops of the two sides do not correspond, so kernels are compared: {share:percent} of the "
     "device time has a counterpart.",
     "两侧的算子无法对应，因此按 kernel 比较：{share} 的设备时间有对应项。"},
    {"diff.too-different",
     "The programs differ too much for a line-by-line diff ({share:percent} of the time has a "
     "counterpart): totals of categories are shown.",
     "两个程序差别太大，无法逐行比较（只有 {share} 的时间有对应项）：显示按类别的合计。"},
    {"diff.word-slower", "slower", "更慢"},
    {"diff.word-faster", "faster", "更快"},
    {"diff.word-more", "more", "更多"},
    {"diff.word-less", "less", "更少"},
    {"diff.word-same", "same", "相同"},
    {"diff.word-cannot-tell", "cannot tell", "无法判断"},
    {"diff.word-not-comparable", "not comparable", "不可比较"},
    {"diff.word-added", "added", "新增"},
    {"diff.word-removed", "removed", "移除"},
    {"diff.word-moved", "moved", "移动"},
    {"diff.word-renamed", "renamed", "改名"},
    {"diff.step", "Step", "步"},
    {"diff.where", "Where", "去向"},
    {"diff.nodes", "Nodes", "节点"},
    {"diff.nodes-of-program", "Changes of the program", "程序的变化"},
    {"diff.nodes-of-host", "Other nodes", "其他节点"},
    {"diff.base", "base", "基准"},
    {"diff.new", "new", "新"},
    {"diff.change", "change", "变化"},
    {"diff.interval", "95 %", "95 %"},
    {"diff.result", "result", "结果"},
    {"diff.calls", "calls", "次数"},
    {"diff.metric", "metric", "指标"},
    {"diff.node", "node", "节点"},
    {"diff.note", "Note", "说明"},
    {"diff.findings", "Findings", "建议"},
    {"diff.finding-new", "new: {rule}", "新增：{rule}"},
    {"diff.finding-gone",
     "gone: {rule} (promised up to {promised:duration} a step; the step changed by {gained})",
     "消失：{rule}（承诺每步最多节省 {promised}；步实际变化 {gained}）"},
    {"diff.finding-only-new", "only the new side has {rule}: this may be noise",
     "只有新的一侧有 {rule}：可能是噪声"},
    {"diff.finding-only-base", "only the base has {rule}: this may be noise",
     "只有基准一侧有 {rule}：可能是噪声"},
    {"diff.runs-and-steps", "{base:int} + {new:int} runs, {base_steps:int} + {new_steps:int} steps",
     "{base} + {new} 次运行，{base_steps} + {new_steps} 步"},
    {"diff.need-runs", "needs {runs:int} runs a side", "每侧需 {runs} 次运行"},
    {"diff.compute", "compute", "计算"},
    {"diff.communication", "communication", "通信"},
    {"diff.copy", "copies", "拷贝"},
    {"diff.memset", "memsets", "置零"},
    {"diff.idle", "idle", "空闲"},
    {"diff.residue", "residue", "余数"},
    {"diff.rest", "{nodes:count} smaller {node|nodes}: {delta}",
     "另有 {nodes} 个较小的节点：{delta}"},
    {"diff.more-nodes", "{nodes:count} more {node|nodes}; --top shows more",
     "另有 {nodes} 个节点；--top 可显示更多"},
    {"diff.environment", "{what}: {base} → {new}", "{what}：{base} → {new}"},
    {"diff.environment-breaks", "{what}: {base} → {new} (times do not compare)",
     "{what}：{base} → {new}（时间不可比较）"},
    {"diff.gate-failed", "Gate failed: {why}", "门槛未通过：{why}"},
    {"diff.gate-passed", "Gate passed", "门槛通过"},
    {"diff.gate-off",
     "Gate off: times of these two sides do not compare; --force judges them all the same",
     "门槛关闭：两侧的时间不可比较；使用 --force 仍可判断"},
    {"diff.sarif-rule", "An op takes longer than in the baseline", "算子比基线更慢"},
    {"diff.help.about",
     "Says what changed between two programs, versions or machines, whether the difference is "
     "real,\nand, as a gate, whether the change may merge. A side is one or more runs: profiles, "
     "directories\nof ranks, stored baselines, or what report --json wrote. Four runs a side or "
     "more tell a change of\nthe program from noise of the host; one run a side tells only what "
     "the device did differently.",
     "说明两个程序、版本或机器之间变了什么，差异是否真实，\n以及作为关卡时改动能否合入。一侧是一次"
     "或"
     "多次运行：性能数据、存放各 rank 的目录、\n保存的基线，或 report --json "
     "的输出。每侧四次运行以上才能区分程序的变化与主机的噪声；\n"
     "每侧一次运行只能看出设备上的不同。"},
    {"diff.help.threshold", "smallest change that counts (default 3%)",
     "多大的变化才算数（默认 3%）"},
    {"diff.help.alpha", "how often noise may pass for a change (default 0.05)",
     "允许把噪声当成变化的概率（默认 0.05）"},
    {"diff.help.by", "what the nodes are (default op)", "节点是什么（默认 op）"},
    {"diff.help.base", "the files of the base side by a pattern", "用通配符给出基准一侧的文件"},
    {"diff.help.new", "the files of the new side by a pattern", "用通配符给出新的一侧的文件"},
    {"diff.help.fail-on",
     "exit with 3 on slower, slower-or-cannot-tell, memory or new-finding; several separated by "
     "commas",
     "出现 slower、slower-or-cannot-tell、memory 或 new-finding 时以 3 退出；多个用逗号分隔"},
    {"diff.help.force", "judge time although devices, frameworks or numbers of ranks differ",
     "即使设备、框架或 rank 数不同也判断时间"},
    {"diff.help.format", "how to print it (default text)", "输出格式（默认 text）"},
    {"diff.help.key", "tells the comments of several comparisons apart in markdown",
     "在 markdown 中区分多个比较的评论"},
    {"diff.help.save",
     "also store the runs of the last side, to compare with later without their traces",
     "另外保存最后一侧的运行，以后无需 trace 即可比较"},
    {"diff.help.html", "also write the comparison as one HTML file that opens offline",
     "另外把比较写成一个可离线打开的 HTML 文件"},
    {"diff.help.top", "nodes to show in text (default 12)", "文本中显示的节点数（默认 12）"},
    {"diff.help.example", "what changed", "变了什么"},
    {"diff.help.example-runs", "several runs a side: is it real?", "每侧多次运行：变化是否真实？"},
    {"diff.help.example-save", "store a baseline", "保存基线"},
    {"diff.help.example-gate", "a gate: exit code 3 when it fails", "用作关卡：未通过时退出码为 3"},
    {"diff.help.example-markdown", "for a comment on a pull request", "用作 pull request 的评论"},
    {"diff.takes-share", "takes a share between 0 and 1, like 3% or 0.03",
     "的写法是 3% 或 0.03 这样介于 0 和 1 之间的比例"},
    {"diff.takes-gates", "takes slower, slower-or-cannot-tell, memory or new-finding",
     "可取 slower、slower-or-cannot-tell、memory 或 new-finding"},
    {"diff.two-sides", "stepscope diff BASE NEW, or BASE... -- NEW...",
     "stepscope diff BASE NEW，或 BASE... -- NEW..."},
    {"diff.no-base", "there is no base to compare with", "没有可比较的基准"},
    {"diff.one-path", "one path has nothing to be compared with", "只有一个路径，没有可比较的对象"},
    {"diff.border", "-- has to stand between the two sides", "两侧之间要写 --"},
    {"diff.no-run", "the baseline holds no run", "基线里没有运行"},
    {"diff.write-again", "write the baseline again", "请重新写出基线"},
    {"diff.no-file", "no file has a name like this", "没有符合这个名字的文件"},
    {"diff.quote-pattern", "put the pattern in quotes and check the folder",
     "请给通配符加引号，并检查目录"},
});

}  // namespace stepscope
