#pragma once

#include <array>

#include "fleet/rows.h"
#include "tables/column_of.h"

// The tables of a fleet, declared once: files, docs/fleet.md and the SQL views have these names.
// Columns are added, never renamed; kTablesVersion changes when a meaning does.
namespace stepscope::fleet {

inline constexpr std::string_view kTablesVersion = "fleet/1";

namespace columns {

using tables::Column;
using tables::Of;
using tables::Unit;

template <typename Row>
inline constexpr Column kProfileId =
    Of<[](const FileKey& key, const Row&) -> const auto& { return key.profile_id; }>(
        {.name = "profile_id",
         .meaning = {"XXH3-128 of the content: copies have the same",
                     "内容的 XXH3-128：副本相同"}});
template <typename Row>
inline constexpr Column kDay =
    Of<[](const FileKey& key, const Row&) -> const auto& { return key.day; }>(
        {.name = "day",
         .meaning = {"UTC day of the profile's start, else of the file's last change",
                     "性能数据开始的 UTC 日期；未知时为文件最后修改的日期"}});
template <typename Row>
inline constexpr Column kVersion =
    Of<[](const FileKey& key, const Row&) -> const auto& { return key.stepscope_version; }>(
        {.name = "stepscope_version",
         .meaning = {"of the program that read it", "读取它的程序版本"}});
template <typename Row>
inline constexpr Column kTrace = Of<&Row::trace>(
    {.name = "trace",
     .meaning = {"which trace of the path, from 0", "路径中的第几个记录，从 0 起"}});

inline constexpr auto kProfileColumns = std::to_array<Column>({
    kProfileId<ProfileRow>,
    kDay<ProfileRow>,
    Of<&ProfileRow::path>({.name = "path", .meaning = {"as the list names it", "清单中的路径"}}),
    Of<&ProfileRow::bytes>(
        {.name = "bytes", .meaning = {"size of the file", "文件大小"}, .unit = Unit::kBytes}),
    Of<&ProfileRow::mtime_unix_ns>(
        {.name = "mtime_unix_ns",
         .meaning = {"when the file was last changed", "文件最后修改的时间"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::job_id>(
        {.name = "job_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&ProfileRow::run_id>(
        {.name = "run_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&ProfileRow::attempt>(
        {.name = "attempt", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&ProfileRow::rank>({.name = "rank",
                           .meaning = {"from the file, else from the list or the path",
                                       "取自文件，否则取自清单或路径"}}),
    Of<&ProfileRow::world_size>(
        {.name = "world_size", .meaning = {"ranks of the job", "作业的 rank 数"}}),
    Of<&ProfileRow::host>({.name = "host", .meaning = {"name of the machine", "主机名"}}),
    Of<&ProfileRow::format>(
        {.name = "format", .meaning = {"what kind of profile it is", "性能数据的格式"}}),
    Of<&ProfileRow::framework>(
        {.name = "framework",
         .meaning = {"PyTorch, TensorFlow, JAX, …", "PyTorch、TensorFlow、JAX 等"}}),
    Of<&ProfileRow::framework_version>(
        {.name = "framework_version", .meaning = {"its version", "框架版本"}}),
    Of<&ProfileRow::cuda_version>(
        {.name = "cuda_version", .meaning = {"of the runtime", "CUDA 运行时版本"}}),
    Of<&ProfileRow::driver_version>(
        {.name = "driver_version", .meaning = {"of the driver", "驱动版本"}}),
    Of<&ProfileRow::device_name>(
        {.name = "device_name",
         .meaning = {"name of the first accelerator", "第一个加速器的名称"}}),
    Of<&ProfileRow::device_count>(
        {.name = "device_count", .meaning = {"accelerators with work", "有任务的加速器数"}}),
    Of<&ProfileRow::traces>(
        {.name = "traces", .meaning = {"processes that the path holds", "路径中的进程数"}}),
    Of<&ProfileRow::start_unix_ns>(
        {.name = "start_unix_ns",
         .meaning = {"when the first event began", "第一个事件开始的时间"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::span_ns>({.name = "span_ns",
                              .meaning = {"from the first event to the end of the last",
                                          "从第一个事件到最后一个事件结束"},
                              .unit = Unit::kNs}),
    Of<&ProfileRow::events>(
        {.name = "events", .meaning = {"events in the file", "文件中的事件数"}}),
    Of<&ProfileRow::diagnosed>(
        {.name = "diagnosed", .meaning = {"events that could not be used", "无法使用的事件数"}}),
    Of<&ProfileRow::steps_used>(
        {.name = "steps_used", .meaning = {"steps that the numbers are about", "参与统计的步数"}}),
    Of<&ProfileRow::step_median_ns>(
        {.name = "step_median_ns",
         .meaning = {"the median step of the slowest trace", "最慢记录的步时间中位数"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::step_p95_ns>({.name = "step_p95_ns",
                                  .meaning = {"its 95th percentile", "第 95 百分位"},
                                  .unit = Unit::kNs}),
    Of<&ProfileRow::step_mad_ns>(
        {.name = "step_mad_ns",
         .meaning = {"median distance from the median", "与中位数之差的中位数"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::bound_by>(
        {.name = "bound_by",
         .meaning = {"what the median step is limited by", "中位步受限于什么"}}),
    Of<&ProfileRow::window_ns>({.name = "window_ns",
                                .meaning = {"the median step, or the whole profile where it has no "
                                            "steps; the parts that follow add up to it",
                                            "中位步；没有步时为整个性能数据；以下各部分之和等于它"},
                                .unit = Unit::kNs}),
    Of<&ProfileRow::compute_ns>(
        {.name = "compute_ns", .meaning = {"kernels ran", "内核在运行"}, .unit = Unit::kNs}),
    Of<&ProfileRow::exposed_communication_ns>(
        {.name = "exposed_communication_ns",
         .meaning = {"only communication ran", "只有通信在运行"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::exposed_copy_ns>({.name = "exposed_copy_ns",
                                      .meaning = {"only copies ran", "只有拷贝在运行"},
                                      .unit = Unit::kNs}),
    Of<&ProfileRow::exposed_memset_ns>({.name = "exposed_memset_ns",
                                        .meaning = {"only memsets ran", "只有置零在运行"},
                                        .unit = Unit::kNs}),
    Of<&ProfileRow::idle_ns>(
        {.name = "idle_ns", .meaning = {"nothing ran", "没有任务在运行"}, .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[0]; }>(
        {.name = "idle_input_ns",
         .meaning = {"idle time: the host waited for input", "空闲：主机在等输入"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[1]; }>(
        {.name = "idle_sync_ns",
         .meaning = {"idle time: the host waited for the device", "空闲：主机在等设备"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[2]; }>(
        {.name = "idle_launch_ns",
         .meaning = {"idle time: work was on its way to the device", "空闲：任务正在下发"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[3]; }>(
        {.name = "idle_host_op_ns",
         .meaning = {"idle time: the host ran an op", "空闲：主机在运行算子"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[4]; }>(
        {.name = "idle_python_ns",
         .meaning = {"idle time: the host ran Python", "空闲：主机在运行 Python"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[5]; }>(
        {.name = "idle_compile_ns",
         .meaning = {"idle time: the host compiled", "空闲：主机在编译"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[6]; }>(
        {.name = "idle_communication_wait_ns",
         .meaning = {"idle time: the host waited for communication", "空闲：主机在等通信"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[7]; }>(
        {.name = "idle_copy_wait_ns",
         .meaning = {"idle time: the host waited for a copy", "空闲：主机在等拷贝"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[8]; }>(
        {.name = "idle_profiler_ns",
         .meaning = {"idle time: the profiler worked", "空闲：性能分析器在工作"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[9]; }>(
        {.name = "idle_between_steps_ns",
         .meaning = {"idle time: between steps", "空闲：步与步之间"},
         .unit = Unit::kNs}),
    Of<[](const ProfileRow& row) { return row.idle_causes[10]; }>(
        {.name = "idle_unknown_ns",
         .meaning = {"idle time: the cause is not known", "空闲：原因不明"},
         .unit = Unit::kNs}),
    Of<&ProfileRow::peak_memory_bytes>(
        {.name = "peak_memory_bytes",
         .meaning = {"most that was allocated on one device", "单个设备分配的峰值"},
         .unit = Unit::kBytes}),
    Of<&ProfileRow::gpu_util_percent>(
        {.name = "gpu_util_percent",
         .meaning = {"share of the profile in which the device worked", "设备工作时间所占比例"},
         .unit = Unit::kPercent}),
    Of<&ProfileRow::sm_efficiency_percent>(
        {.name = "sm_efficiency_percent",
         .meaning = {"share of multiprocessors that had blocks", "有线程块的 SM 所占比例"},
         .unit = Unit::kPercent}),
    Of<&ProfileRow::device_seconds>(
        {.name = "device_seconds",
         .meaning = {"span of the profile times its accelerators", "性能数据时长乘以加速器数"}}),
    Of<&ProfileRow::findings_high>(
        {.name = "findings_high",
         .meaning = {"findings of severity high", "严重程度为 high 的发现数"}}),
    Of<&ProfileRow::weight>(
        {.name = "weight",
         .meaning = {"how many such profiles it stands for; 1 unless the list says otherwise",
                     "它代表多少个这样的性能数据；清单未注明时为 1"}}),
    kVersion<ProfileRow>,
    Of<&ProfileRow::status>({.name = "status",
                             .meaning = {"ok, partial (the file is cut or damaged) or failed",
                                         "ok、partial（文件被截断或损坏）或 failed"}}),
    Of<&ProfileRow::error_code>(
        {.name = "error_code",
         .meaning = {"cannot_read, damaged, unsupported, timeout, out_of_memory or crashed",
                     "cannot_read、damaged、unsupported、timeout、out_of_memory 或 crashed"}}),
    Of<&ProfileRow::error>(
        {.name = "error", .meaning = {"why it failed, in a sentence", "失败原因"}}),
});

inline constexpr auto kStepColumns = std::to_array<Column>({
    kProfileId<StepRow>,
    kDay<StepRow>,
    kTrace<StepRow>,
    Of<&StepRow::step>({.name = "step", .meaning = {"number of the step", "步的编号"}}),
    Of<&StepRow::device>({.name = "device", .meaning = {"gpu:0, …", "gpu:0 等"}}),
    Of<&StepRow::start_unix_ns>(
        {.name = "start_unix_ns", .meaning = {"when it began", "开始时间"}, .unit = Unit::kNs}),
    Of<&StepRow::duration>({.name = "duration_ns", .meaning = {"how long it took", "时长"}}),
    Of<&StepRow::used>(
        {.name = "used", .meaning = {"whether numbers are about it", "是否参与统计"}}),
    Of<&StepRow::why_unused>({.name = "why_unused", .meaning = {"why not", "不参与的原因"}}),
    Of<&StepRow::compute>({.name = "compute_ns", .meaning = {"kernels ran", "内核在运行"}}),
    Of<&StepRow::exposed_communication>({.name = "exposed_communication_ns",
                                         .meaning = {"only communication ran", "只有通信在运行"}}),
    Of<&StepRow::exposed_copy>(
        {.name = "exposed_copy_ns", .meaning = {"only copies ran", "只有拷贝在运行"}}),
    Of<&StepRow::exposed_memset>(
        {.name = "exposed_memset_ns", .meaning = {"only memsets ran", "只有置零在运行"}}),
    Of<&StepRow::idle>({.name = "idle_ns", .meaning = {"nothing ran", "没有任务在运行"}}),
    kVersion<StepRow>,
});

inline constexpr auto kFindingColumns = std::to_array<Column>({
    kProfileId<FindingRow>,
    kDay<FindingRow>,
    kTrace<FindingRow>,
    Of<&FindingRow::place>(
        {.name = "place", .meaning = {"1: the most valuable", "1 为最有价值的发现"}}),
    Of<&FindingRow::rule>({.name = "rule", .meaning = {"the rule that fired", "触发的规则"}}),
    Of<&FindingRow::severity>(
        {.name = "severity",
         .meaning = {"high, medium, low or note", "high、medium、low 或 note"}}),
    Of<&FindingRow::confidence>(
        {.name = "confidence", .meaning = {"high, medium or low", "high、medium 或 low"}}),
    Of<&FindingRow::saving_lo>(
        {.name = "saving_lo_ns",
         .meaning = {"what is gained at least, a step", "每步至少可省的时间"}}),
    Of<&FindingRow::saving_hi>(
        {.name = "saving_hi_ns", .meaning = {"what is gained at most", "至多可省的时间"}}),
    Of<&FindingRow::saving_likely>(
        {.name = "saving_likely_ns", .meaning = {"what is likely gained", "大概可省的时间"}}),
    Of<&FindingRow::step>(
        {.name = "step_ns",
         .meaning = {"the step that it is saved from", "所省时间所属的步的时长"}}),
    Of<&FindingRow::sentence>(
        {.name = "sentence", .meaning = {"what is wrong, with numbers", "含数字的说明"}}),
    Of<&FindingRow::event>(
        {.name = "event",
         .meaning = {"id of the first event of the evidence", "第一个证据事件的编号"}}),
    Of<&FindingRow::event_name>({.name = "event_name", .meaning = {"its name", "其名称"}}),
    kVersion<FindingRow>,
});

inline constexpr auto kOpColumns = std::to_array<Column>({
    kProfileId<OpTotal>,
    kDay<OpTotal>,
    kTrace<OpTotal>,
    Of<&OpTotal::name>(
        {.name = "name",
         .meaning = {"name of the op; (rest): all that are not among the largest 200",
                     "算子名称；(rest) 为前 200 个之外的全部"}}),
    Of<&OpTotal::kind>({.name = "kind",
                        .meaning = {"framework_op, user_annotation, or empty of the rest",
                                    "framework_op、user_annotation；(rest) 为空"}}),
    Of<&OpTotal::calls>({.name = "calls", .meaning = {"how often it ran", "运行次数"}}),
    Of<&OpTotal::device>(
        {.name = "device_ns",
         .meaning = {"device work that it launched itself", "由它直接启动的设备任务时间"}}),
    Of<&OpTotal::host_self>(
        {.name = "host_self_ns",
         .meaning = {"time on the host less the ops inside", "主机时间，减去内部算子"}}),
    kVersion<OpTotal>,
});

inline constexpr auto kKernelColumns = std::to_array<Column>({
    kProfileId<KernelTotal>,
    kDay<KernelTotal>,
    kTrace<KernelTotal>,
    Of<&KernelTotal::name>(
        {.name = "name",
         .meaning = {"name as the file spells it; (rest): all that are not among the largest 200",
                     "文件中的名称；(rest) 为前 200 个之外的全部"}}),
    Of<&KernelTotal::family>({.name = "family",
                              .meaning = {"the name without what differs between versions",
                                          "去掉随版本变化部分的名称"}}),
    Of<&KernelTotal::category>(
        {.name = "category", .meaning = {"gemm, convolution, …", "gemm、convolution 等"}}),
    Of<&KernelTotal::kind>(
        {.name = "kind", .meaning = {"kernel, memcpy or memset", "kernel、memcpy 或 memset"}}),
    Of<&KernelTotal::device>({.name = "device", .meaning = {"where it ran", "运行的设备"}}),
    Of<&KernelTotal::calls>({.name = "calls", .meaning = {"how often it ran", "运行次数"}}),
    Of<&KernelTotal::total>(
        {.name = "device_ns", .meaning = {"time of all calls", "所有调用的时间"}}),
    Of<&KernelTotal::p50_ns>(
        {.name = "p50_ns", .meaning = {"the median call", "中位数"}, .unit = Unit::kNs}),
    Of<&KernelTotal::max_ns>(
        {.name = "max_ns", .meaning = {"the longest call", "最长的一次"}, .unit = Unit::kNs}),
    kVersion<KernelTotal>,
});

inline constexpr auto kCollectiveColumns = std::to_array<Column>({
    kProfileId<CollectiveTotal>,
    kDay<CollectiveTotal>,
    kTrace<CollectiveTotal>,
    Of<&CollectiveTotal::group>(
        {.name = "group_name", .meaning = {"name of the process group", "进程组的名称"}}),
    Of<&CollectiveTotal::group_size>(
        {.name = "group_size", .meaning = {"ranks in it", "组内 rank 数"}}),
    Of<&CollectiveTotal::type>(
        {.name = "type", .meaning = {"allreduce, allgather, …", "allreduce、allgather 等"}}),
    Of<&CollectiveTotal::bytes_from>({.name = "bytes_from",
                                      .meaning = {"class of sizes: from here to below its double",
                                                  "大小的区间：从此值到其两倍以下"},
                                      .unit = Unit::kBytes}),
    Of<&CollectiveTotal::calls>({.name = "calls", .meaning = {"how often", "次数"}}),
    Of<&CollectiveTotal::bytes>(
        {.name = "bytes", .meaning = {"of all calls", "所有调用的字节数"}, .unit = Unit::kBytes}),
    Of<&CollectiveTotal::total>(
        {.name = "total_ns", .meaning = {"time of all calls", "所有调用的时间"}}),
    Of<&CollectiveTotal::min>(
        {.name = "min_ns",
         .meaning = {"the shortest call: mostly transfer", "最短的一次：主要是传输"}}),
    Of<&CollectiveTotal::p50>({.name = "p50_ns", .meaning = {"the median call", "中位数"}}),
    Of<&CollectiveTotal::max>({.name = "max_ns", .meaning = {"the longest call", "最长的一次"}}),
    Of<&CollectiveTotal::on_host>(
        {.name = "on_host",
         .meaning = {"spans of the host: the profile has no device work of them",
                     "主机上的区间：没有对应的设备任务"}}),
    kVersion<CollectiveTotal>,
});

inline constexpr auto kQualityColumns = std::to_array<Column>({
    kProfileId<QualityRow>,
    kDay<QualityRow>,
    kTrace<QualityRow>,
    Of<&QualityRow::code>(
        {.name = "code", .meaning = {"what is wrong with the profile", "性能数据的问题"}}),
    Of<&QualityRow::severity>(
        {.name = "severity", .meaning = {"info, warning or error", "info、warning 或 error"}}),
    Of<&QualityRow::count>({.name = "count", .meaning = {"how often", "次数"}}),
    kVersion<QualityRow>,
});

inline constexpr auto kRankSummaryColumns = std::to_array<Column>({
    kProfileId<RankSummaryRow>,
    kDay<RankSummaryRow>,
    kTrace<RankSummaryRow>,
    Of<&RankSummaryRow::run_key>(
        {.name = "run_key",
         .meaning = {"the same for all ranks of a run: job, run and attempt, else the folder",
                     "同一次运行的所有 rank 相同：作业、运行和尝试，否则为目录"}}),
    Of<&RankSummaryRow::path>(
        {.name = "path", .meaning = {"as the list names it", "清单中的路径"}}),
    Of<&RankSummaryRow::job_id>(
        {.name = "job_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankSummaryRow::run_id>(
        {.name = "run_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankSummaryRow::attempt>(
        {.name = "attempt", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankSummaryRow::rank>({.name = "rank",
                               .meaning = {"from the file, else from the list or the path",
                                           "取自文件，否则取自清单或路径"}}),
    Of<&RankSummaryRow::world_size>(
        {.name = "world_size", .meaning = {"ranks of the job", "作业的 rank 数"}}),
    Of<&RankSummaryRow::summary>(
        {.name = "summary",
         .meaning = {"calls, steps and totals of the rank, for the second pass",
                     "该 rank 的通信调用、步和合计，供第二遍使用"}}),
    kVersion<RankSummaryRow>,
});

inline constexpr auto kRankColumns = std::to_array<Column>({
    kProfileId<RankRow>,
    kDay<RankRow>,
    Of<&RankRow::run_key>(
        {.name = "run_key", .meaning = {"which run of which job", "哪个作业的哪次运行"}}),
    Of<&RankRow::job_id>(
        {.name = "job_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankRow::run_id>(
        {.name = "run_id", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankRow::attempt>(
        {.name = "attempt", .meaning = {"from the list or the path", "取自清单或路径"}}),
    Of<&RankRow::rank>({.name = "rank", .meaning = {"its number", "编号"}}),
    Of<&RankRow::world_size>(
        {.name = "world_size", .meaning = {"ranks of the job", "作业的 rank 数"}}),
    Of<&RankRow::ranks>(
        {.name = "ranks", .meaning = {"of which there are profiles", "其中有性能数据的"}}),
    Of<&RankRow::path>({.name = "path", .meaning = {"its profile", "其性能数据"}}),
    Of<&RankRow::host>({.name = "host", .meaning = {"name of the machine", "主机名"}}),
    Of<&RankRow::steps>(
        {.name = "steps", .meaning = {"steps that the numbers are about", "参与统计的步数"}}),
    Of<&RankRow::step>({.name = "step_ns", .meaning = {"the median step", "步时间中位数"}}),
    Of<&RankRow::own>({.name = "own_ns",
                       .meaning = {"the median step without exposed communication",
                                   "去掉暴露通信后的步时间中位数"}}),
    Of<&RankRow::compute>(
        {.name = "compute_ns", .meaning = {"kernels ran, a step", "内核在运行，每步"}}),
    Of<&RankRow::exposed_transfer>(
        {.name = "exposed_transfer_ns",
         .meaning = {"only transfers ran, a step", "只有传输在运行，每步"}}),
    Of<&RankRow::exposed_wait>(
        {.name = "exposed_wait_ns",
         .meaning = {"waited for other ranks, a step", "等待其他 rank，每步"}}),
    Of<&RankRow::wait>(
        {.name = "wait_ns",
         .meaning = {"waited for other ranks in all calls", "所有调用中等待其他 rank 的时间"}}),
    Of<&RankRow::first>(
        {.name = "first_calls", .meaning = {"calls to which it came first", "最先到达的调用数"}}),
    Of<&RankRow::last>(
        {.name = "last_calls", .meaning = {"calls to which it came last", "最后到达的调用数"}}),
    Of<&RankRow::judged>(
        {.name = "judged_calls",
         .meaning = {"calls of the run whose last rank can be told", "能判断谁最后到达的调用数"}}),
    Of<&RankRow::z>({.name = "z",
                     .meaning = {"how far its own time is from the others', in their scatter",
                                 "自身时间与其他 rank 的差距，以离散度计"}}),
    Of<&RankRow::sets_pace>(
        {.name = "sets_pace", .meaning = {"the others wait for it", "其他 rank 在等它"}}),
    Of<&RankRow::straggler>(
        {.name = "straggler",
         .meaning = {"late in most steps, by more than chance", "多数步都迟到，且非偶然"}}),
    Of<&RankRow::cause>({.name = "cause", .meaning = {"why it is late", "迟到的原因"}}),
    Of<&RankRow::region>(
        {.name = "region", .meaning = {"what the program calls the place", "程序对该处的称呼"}}),
    Of<&RankRow::sentence>(
        {.name = "sentence", .meaning = {"the same as a sentence", "同上，成句"}}),
    Of<&RankRow::excess_ns>(
        {.name = "excess_ns", .meaning = {"how late, a step", "每步迟到多少"}, .unit = Unit::kNs}),
    Of<&RankRow::gain_lo_ns>(
        {.name = "gain_lo_ns",
         .meaning = {"what all would gain a step, at least", "每步所有 rank 至少可省"},
         .unit = Unit::kNs}),
    Of<&RankRow::gain_hi_ns>(
        {.name = "gain_hi_ns",
         .meaning = {"what all would gain a step, at most", "每步所有 rank 至多可省"},
         .unit = Unit::kNs}),
    kVersion<RankRow>,
});

}  // namespace columns

}  // namespace stepscope::fleet
