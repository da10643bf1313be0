#pragma once

#include <array>

#include "words/text.h"

// Several ranks of one job: straggler, clocks, collectives, scaling, dumps of collectives.
namespace stepscope {

inline constexpr std::array kRanksTexts = std::to_array<Text>({
    {"ranks.late.input",
     "Rank {rank:int} is late by {excess:duration} in every step because it waits for its input; "
     "all ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，因为它在等自己的输入；所有 rank 都在等它。"},
    {"ranks.late.input-of",
     "Rank {rank:int} is late by {excess:duration} in every step because of {region}; all ranks "
     "wait for it.",
     "rank {rank} 每步都晚 {excess}，原因是 {region}；所有 rank 都在等它。"},
    {"ranks.late.work",
     "Rank {rank:int} is late by {excess:duration} in every step because it has more work than the "
     "others; all ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，因为它的计算量比别人大；所有 rank 都在等它。"},
    {"ranks.late.kernels",
     "Rank {rank:int} is late by {excess:duration} in every step because the same kernels take "
     "{factor:.2f} times as long there (clock or temperature of its device); all ranks wait for "
     "it.",
     "rank {rank} 每步都晚 {excess}，因为同样的 kernel 在它上面要用 {factor} "
     "倍的时间（设备频率或温度）；所有 rank 都在等它。"},
    {"ranks.late.launch",
     "Rank {rank:int} is late by {excess:duration} in every step because its host hands over work "
     "more slowly; all ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，因为它的主机下发任务更慢；所有 rank 都在等它。"},
    {"ranks.late.copies",
     "Rank {rank:int} is late by {excess:duration} in every step because it waits for copies; all "
     "ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，因为它在等拷贝；所有 rank 都在等它。"},
    {"ranks.late.region",
     "Rank {rank:int} is late by {excess:duration} in every step because of {region} on its host; "
     "all ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，原因是它主机上的 {region}；所有 rank 都在等它。"},
    {"ranks.late.unknown",
     "Rank {rank:int} is late by {excess:duration} in every step, and the profile does not say "
     "why; all ranks wait for it.",
     "rank {rank} 每步都晚 {excess}，性能数据没有说明原因；所有 rank 都在等它。"},
    {"ranks.rotates",
     "No rank is the straggler: who comes last changes. Arrival skew is {skew:duration} a step.",
     "没有固定的慢 rank：最后到的总在变。到达偏差每步 {skew}。"},
    {"ranks.damaged",
     "The file of rank {ranks} is damaged: its own time is not compared with that of the others.",
     "rank {ranks} 的文件已损坏：它自己的时间不参与比较。"},
    {"ranks.job", "Job", "作业"},
    {"ranks.present", "{present:int} of {all:int} ranks", "{all} 个 rank 中的 {present} 个"},
    {"ranks.clocks.shared", "one clock, confirmed by {marks:int} {collective|collectives}",
     "同一时钟，{marks} 次集合通信与之相符"},
    {"ranks.clocks.small",
     "clocks aligned by {marks:int} small {collective|collectives}, ± {error:duration}",
     "时钟由 {marks} 次小的集合通信对齐，± {error}"},
    {"ranks.clocks.large",
     "clocks aligned by {marks:int} large {collective|collectives}, ± {error:duration}",
     "时钟由 {marks} 次大的集合通信对齐，± {error}"},
    {"ranks.clocks.none", "clocks cannot be aligned: no collective that waits for all",
     "时钟无法对齐：没有等待所有 rank 的集合通信"},
    {"ranks.clocks.some", "{ranks:int} {rank|ranks} cannot be aligned", "{ranks} 个 rank 无法对齐"},
    {"ranks.clocks.order",
     "{calls:int} {collective|collectives} end before all ranks have come: the clocks drift",
     "{calls} 次集合通信在所有 rank 到齐之前结束：时钟在漂移"},
    {"ranks.step", "step {step:duration} median over ranks ({range})",
     "步 {step}（各 rank 的中位数，{range}）"},
    {"ranks.straggler", "Late", "慢 rank"},
    {"ranks.straggler.none", "None: no rank is slower than the others by 2 % of the step.",
     "没有：没有一个 rank 比其他的慢步的 2 %。"},
    {"ranks.straggler.unknown", "Cannot tell: the ranks have no steps in common.",
     "无法判断：各 rank 没有共同的步。"},
    {"ranks.straggler.no-calls",
     "Cannot tell: the files have no collectives in common, so waiting for others counts as a "
     "rank's own time.",
     "无法判断：这些文件没有共同的集合通信，等待其他 rank 的时间被算作 rank 自身的时间。"},
    {"ranks.straggler.numbers",
     "Its own time is {own:duration} of the step, that of the others {others:duration}; it comes "
     "last to {share:percent} of {calls:int} {collective|collectives}.",
     "它每步自身用时 {own}，其他 rank 为 {others}；{calls} 次集合通信中有 {share} 是它最后到。"},
    {"ranks.straggler.gain", "All ranks would gain {lo:duration} to {hi:duration} a step.",
     "所有 rank 每步可以省下 {lo} 到 {hi}。"},
    {"ranks.missing",
     "{missing:int} {rank is|ranks are} missing: if one of them is late, its delay counts as "
     "transfer here.",
     "缺少 {missing} 个 rank：如果其中有慢的，它造成的延迟在这里算作传输。"},
    {"ranks.slow-step",
     "Step {step:int} is slow on rank {rank:int} alone, by {excess:duration}: one step, not the "
     "rank.",
     "步 {step} 只在 rank {rank} 上慢了 {excess}：是这一步慢，不是这个 rank 慢。"},
    {"ranks.comm", "Exposed", "未掩盖"},
    {"ranks.comm.text",
     "{transfer:duration} of transfer and {wait:duration} of waiting a step, mean over ranks",
     "每步传输 {transfer}，等待 {wait}（各 rank 平均）"},
    {"ranks.collectives", "Collectives", "集合通信"},
    {"ranks.column.calls", "calls", "次数"},
    {"ranks.column.bytes", "bytes", "字节"},
    {"ranks.column.transfer", "transfer", "传输"},
    {"ranks.column.bus", "bus GB/s", "总线 GB/s"},
    {"ranks.column.peak", "of peak", "占峰值"},
    {"ranks.column.wait", "wait", "等待"},
    {"ranks.column.skew", "skew", "到达偏差"},
    {"ranks.column.cost", "cost", "代价"},
    {"ranks.cost.transfer", "transfer", "传输"},
    {"ranks.cost.arrival_skew", "arrival skew, not the network", "到达偏差，不是网络"},
    {"ranks.cost.mixed", "mixed", "两者都有"},
    {"ranks.cost.cannot_tell", "cannot tell", "无法判断"},
    {"ranks.ranks", "Ranks, {unit} a step", "各 rank，每步 {unit}"},
    {"ranks.column.step", "step", "步"},
    {"ranks.column.own", "own", "自身"},
    {"ranks.column.compute", "compute", "计算"},
    {"ranks.column.exposed-transfer", "exposed transfer", "未掩盖的传输"},
    {"ranks.column.exposed-wait", "exposed wait", "未掩盖的等待"},
    {"ranks.column.input", "input", "输入"},
    {"ranks.column.copies", "copies", "拷贝"},
    {"ranks.column.idle", "idle", "空闲"},
    {"ranks.column.last", "last", "最后到"},
    {"ranks.column.offset", "clock", "时钟"},
    {"ranks.pipeline", "Stages", "流水线"},
    {"ranks.pipeline.text",
     "{stages:int} {stage|stages}, {batches:int} micro-{batch|batches}: bubble {measured:percent} "
     "of the step, ideal {ideal:percent}; the slowest stage computes {imbalance:.2f} times the "
     "mean",
     "{stages} 级，{batches} 个微批：气泡占步的 {measured}，理想为 "
     "{ideal}；最慢的一级计算量是平均的 {imbalance} 倍"},
    {"ranks.path", "Path", "路径"},
    {"ranks.path.part", "rank {rank:int} {kind} {share:percent}", "rank {rank} {kind} {share}"},
    {"ranks.kind.compute", "compute", "计算"},
    {"ranks.kind.transfer", "transfer", "传输"},
    {"ranks.kind.input", "input", "输入"},
    {"ranks.kind.copy", "copies", "拷贝"},
    {"ranks.kind.host", "host", "主机"},
    {"ranks.differ", "Differ", "不一致"},
    {"ranks.differ.text",
     "Rank {rank:int} differs from the others at collective {index:int} of group {group}: {found} "
     "instead of {expected}.",
     "rank {rank} 在组 {group} 的第 {index} 次集合通信处与其他 rank 不同：{found}，应为 "
     "{expected}。"},
    {"ranks.differ.nothing", "nothing", "没有"},
    {"ranks.not-read", "Unread", "未读"},
    {"ranks.alone", "Alone", "单独"},
    {"ranks.alone.text", "{files:int} {file belongs|files belong} to no job: {names}",
     "{files} 个文件不属于任何作业：{names}"},
    {"ranks.scaling.weak", "Scaling, the same work a device", "扩展性，每个设备的工作量相同"},
    {"ranks.scaling.strong", "Scaling, the same work in all", "扩展性，总工作量相同"},
    {"ranks.column.efficiency", "efficiency", "效率"},
    {"ranks.column.loss", "loss", "损失"},
    {"ranks.devices", "{n:int} {device|devices}", "{n} 个设备"},
    {"ranks.pace", "Rank {rank:int}, which sets the pace, in full",
     "rank {rank} 决定快慢，完整报告如下"},
    {"ranks.chosen", "Rank {rank:int} in full", "rank {rank} 的完整报告"},
    {"flight.dumps", "{n:int} {dump|dumps} of {entries:count} collectives",
     "{n} 份转储，共 {entries} 次集合通信"},
    {"flight.label", "Hang", "挂起"},
    {"flight.stack", "Stack", "调用栈"},
    {"flight.fine", "Every rank entered every collective that another one entered.",
     "每个 rank 都进入了其他 rank 进入的所有集合通信。"},
    {"flight.missing",
     "{ranks} did not enter collective {sequence:int} of group {group}, {call}, which the others "
     "entered; the last one there was {last}.",
     "{ranks} 没有进入组 {group} 的第 {sequence} 次集合通信 {call}，其他 rank "
     "都进入了；它最后进入的是 {last}。"},
    {"flight.type_differs",
     "{ranks} entered {other} as collective {sequence:int} of group {group}; the others {call}.",
     "{ranks} 在组 {group} 的第 {sequence} 次集合通信进入了 {other}；其他 rank 是 {call}。"},
    {"flight.size_differs",
     "{ranks} entered collective {sequence:int} of group {group} with other sizes or types: "
     "{other}; the others {call}.",
     "{ranks} 进入组 {group} 的第 {sequence} 次集合通信时大小或类型不同：{other}；其他 rank 是 "
     "{call}。"},
    {"flight.unmatched", "{ranks} did not answer {call} ({sequence:int}) of group {group}.",
     "{ranks} 没有应答组 {group} 的 {call}（{sequence}）。"},
    {"flight.not_started",
     "All ranks entered collective {sequence:int} of group {group}, {call}, and none started it: "
     "the devices are stuck in earlier work.",
     "所有 rank 都进入了组 {group} 的第 {sequence} 次集合通信 "
     "{call}，但都没有开始：设备卡在之前的工作里。"},
    {"flight.not_completed",
     "{ranks} did not complete collective {sequence:int} of group {group}, {call}, which all "
     "entered: the network, or a kernel that hangs.",
     "{ranks} 没有完成组 {group} 的第 {sequence} 次集合通信 {call}，所有 rank "
     "都已进入：网络问题，或 kernel 挂起。"},
    {"flight.no_dump", "{ranks} left no dump.", "{ranks} 没有留下转储。"},
    {"flight.rank", "Rank {rank:int}", "rank {rank}"},
    {"flight.ranks", "Ranks {list}", "rank {list}"},
    {"flight.nothing", "nothing", "没有"},
    {"flight.call", "{call}", "{call}"},
    {"ranks.help.about",
     "Says who all ranks of a job wait for and why: aligns their clocks, matches their\n"
     "collectives, tells waiting from transfer, and names the straggler with its cause.\n"
     "PATH is a profile of each rank, or a directory of them. Files that do not belong\n"
     "together are told apart; runs with 1, 2, ... N devices are compared.\n"
     "Of dumps of PyTorch's flight recorder it says which rank a hanging job waits for.",
     "说明一个作业的所有 rank 在等谁、为什么：对齐各自的时钟，配对集合通信，\n"
     "区分等待与传输，找出慢 rank 及其原因。\n"
     "PATH 是各个 rank 的性能数据，或存放它们的目录。不属于同一作业的文件会分开；\n"
     "设备数为 1、2、…、N 的运行会相互比较。\n"
     "对 PyTorch flight recorder 的转储，说明挂起的作业在等哪个 rank。"},
    {"ranks.help.all", "every row and every rank", "所有行和所有 rank"},
    {"ranks.help.example", "who is late, and why", "谁慢，为什么"},
    {"ranks.help.example-json", "for programs: docs/ranks.md", "供程序使用：见 docs/ranks.md"},
    {"ranks.help.example-flight", "which rank did not enter which collective",
     "哪个 rank 没有进入哪次集合通信"},
    {"ranks.help.example-scaling", "how the job scales", "作业的扩展性"},
    {"ranks.no-profile", "There is no profile in this directory.", "这个目录里没有性能数据。"},
    {"ranks.give-files", "Give the files that the profiler wrote, one a rank.",
     "请给出 profiler 写出的文件，每个 rank 一个。"},
    {"ranks.one-profile", "This is one profile: ranks need the files of several.",
     "这是一份性能数据：ranks 需要多个 rank 的文件。"},
    {"ranks.give-all", "Give the files of all ranks, or use stepscope report.",
     "请给出所有 rank 的文件，或使用 stepscope report。"},
    {"ranks.no-job", "These profiles are not ranks of one job.",
     "这些性能数据不是同一作业的各个 rank。"},
    {"ranks.name-them",
     "Ranks name their rank and how many there are, in the file (distributedInfo) or in the name "
     "(rank3, _3_of_8). stepscope report shows them one by one.",
     "各个 rank 要标明自己的编号和总数：在文件里（distributedInfo）或文件名里（rank3、_3_of_8）。"
     "stepscope report 可逐个显示。"},
    {"flight.no-rank", "The name does not end in the number of the rank.",
     "文件名没有以 rank 的编号结尾。"},
    {"flight.name-them", "Name dumps as PyTorch does: nccl_trace_rank_0, nccl_trace_rank_1, ...",
     "请按 PyTorch 的方式命名转储：nccl_trace_rank_0、nccl_trace_rank_1 …"},
    {"flight.not-dump", "This is no dump of the flight recorder.",
     "这不是 flight recorder 的转储。"},
    {"flight.give-dump", "Give what TORCH_NCCL_DUMP_ON_TIMEOUT=1 wrote.",
     "请给出 TORCH_NCCL_DUMP_ON_TIMEOUT=1 写出的文件。"},
});

}  // namespace stepscope
