#pragma once

#include <array>
#include <vector>

#include "analyze/report.h"
#include "link/step_names.h"
#include "tables/column_of.h"
#include "trace/device_id.h"

namespace stepscope::tables {

struct CauseTime {
  Cause cause = Cause::kUnknown;
  DurationNs time;
};
inline constexpr auto kCauseTimeColumns = std::to_array<Column>({
    Of<&CauseTime::cause>({.name = "cause",
                           .meaning = {"why the device idles", "设备空闲的原因"},
                           .schema = R"({"$ref": "#/$defs/cause"})"}),
    Of<&CauseTime::time>(
        {.name = "ns", .meaning = {"idle time with this cause", "由此原因造成的空闲时间"}}),
});

// One step on one device.
struct StepDeviceRow {
  const Step* step;
  const DeviceStep* device;
};

template <Cause kCause>
constexpr Column IdleOf(std::string_view name, Words meaning) {
  return Of<[](const StepDeviceRow& row) {
    return row.device->idle_causes[static_cast<size_t>(kCause)];
  }>({.name = name, .meaning = meaning, .shown = kInTables});
}

inline constexpr auto kStepDeviceColumns = std::to_array<Column>({
    Of<[](const StepDeviceRow& row) -> const std::string& { return row.step->name; }>(
        {.name = "step",
         .meaning = {"name of the step", "步的名称"},
         .shown = kInTables,
         .joins = "steps.name"}),
    Of<[](const Trace& trace, const StepDeviceRow& row) {
      return DeviceIdAt(trace, row.device->device);
    }>({.name = "device",
        .meaning = {"the device", "设备"},
        .schema = R"({"$ref": "#/$defs/device_id"})"}),
    Of<[](const StepDeviceRow& row) { return row.step->duration; }>(
        {.name = "duration_ns", .meaning = {"length of the step", "步的时长"}, .shown = kInTables}),
    Of<[](const StepDeviceRow& row) { return row.device->busy; }>(
        {.name = "busy_ns", .meaning = {"time in which anything ran", "设备上有任务运行的时间"}}),
    Of<[](const StepDeviceRow& row) { return row.device->compute; }>(
        {.name = "compute_ns",
         .meaning = {"time in which kernels computed", "计算内核运行的时间"}}),
    Of<[](const StepDeviceRow& row) { return row.device->communication; }>(
        {.name = "communication_ns", .meaning = {"time of collectives", "集合通信的时间"}}),
    Of<[](const StepDeviceRow& row) { return row.device->exposed_communication; }>(
        {.name = "exposed_communication_ns",
         .meaning = {"of it without computation beside it", "其中未被计算掩盖的部分"}}),
    Of<[](const StepDeviceRow& row) { return row.device->copy; }>(
        {.name = "copy_ns", .meaning = {"time of copies", "拷贝的时间"}}),
    Of<[](const StepDeviceRow& row) { return row.device->exposed_copy; }>(
        {.name = "exposed_copy_ns",
         .meaning = {"of it with nothing else beside it", "其中未被其他任务掩盖的部分"}}),
    Of<[](const StepDeviceRow& row) { return row.device->memset; }>(
        {.name = "memset_ns", .meaning = {"time of memsets", "置零的时间"}}),
    Of<[](const StepDeviceRow& row) { return row.device->exposed_memset; }>(
        {.name = "exposed_memset_ns",
         .meaning = {"of it with nothing else beside it", "其中未被其他任务掩盖的部分"}}),
    Of<[](const StepDeviceRow& row) { return row.device->idle; }>(
        {.name = "idle_ns", .meaning = {"time in which nothing ran", "设备空闲的时间"}}),
    RowsOf<[](const StepDeviceRow& row) {
      std::vector<CauseTime> times;
      for (size_t cause = 0; cause < kCauses; ++cause) {
        const DurationNs time = row.device->idle_causes[cause];
        if (time.ns != 0) times.push_back({static_cast<Cause>(cause), time});
      }
      return times;
    }>({.name = "idle_causes", .meaning = {"adds up to idle_ns", "合计等于 idle_ns"}},
       kCauseTimeColumns),
    IdleOf<Cause::kInput>("idle_input_ns", {"idle: waiting for input", "空闲：等待输入"}),
    IdleOf<Cause::kSync>("idle_sync_ns",
                         {"idle: the host waits for the device", "空闲：主机在等待设备"}),
    IdleOf<Cause::kLaunch>("idle_launch_ns", {"idle: launching", "空闲：正在启动"}),
    IdleOf<Cause::kHostOp>("idle_host_op_ns", {"idle: work on the host", "空闲：主机算子"}),
    IdleOf<Cause::kPython>("idle_python_ns", {"idle: Python", "空闲：Python 代码"}),
    IdleOf<Cause::kCompile>("idle_compile_ns", {"idle: compilation", "空闲：编译"}),
    IdleOf<Cause::kCommunicationWait>("idle_communication_wait_ns",
                                      {"idle: waiting for communication", "空闲：等待通信"}),
    IdleOf<Cause::kCopyWait>("idle_copy_wait_ns", {"idle: waiting for a copy", "空闲：等待拷贝"}),
    IdleOf<Cause::kProfiler>("idle_profiler_ns", {"idle: the profiler itself", "空闲：分析器自身"}),
    IdleOf<Cause::kBetweenSteps>("idle_between_steps_ns",
                                 {"idle: between steps", "空闲：步与步之间"}),
    IdleOf<Cause::kUnknown>("idle_unknown_ns", {"idle: not known", "空闲：原因不明"}),
});

inline constexpr auto kPriorityColumns = std::to_array<Column>({
    Of<&PriorityPartition::kernel>({.name = "kernel", .meaning = {"kernels", "内核"}}),
    Of<&PriorityPartition::memcpy>({.name = "memcpy", .meaning = {"copies", "拷贝"}}),
    Of<&PriorityPartition::memset>({.name = "memset", .meaning = {"memsets", "置零"}}),
    Of<&PriorityPartition::communication>(
        {.name = "communication", .meaning = {"communication", "通信"}}),
    Of<&PriorityPartition::runtime>(
        {.name = "runtime", .meaning = {"runtime calls", "运行时调用"}}),
    Of<&PriorityPartition::dataloader>(
        {.name = "dataloader", .meaning = {"data loader", "数据加载"}}),
    Of<&PriorityPartition::cpu_exec>(
        {.name = "cpu_exec", .meaning = {"ops on the host", "主机算子"}}),
    Of<&PriorityPartition::other>({.name = "other", .meaning = {"the rest", "其余"}}),
});

// A step and where its time went.
struct StepRow {
  const Step* step;
  const StepBreakdown* breakdown;
};

inline constexpr auto kStepColumns = std::to_array<Column>({
    Of<[](const StepRow& row) -> const std::string& { return row.step->name; }>(
        {.name = "name", .meaning = {"what the file calls it", "文件中的名称"}}),
    Of<[](const StepRow& row) { return row.step->number; }>(
        {.name = "number", .meaning = {"its number", "编号"}}),
    Of<[](const StepRow& row) { return row.step->host_start; }>(
        {.name = "host_start_ns", .meaning = {"when its marker begins", "标记的开始时间"}}),
    Of<[](const StepRow& row) { return row.step->host_duration; }>(
        {.name = "host_duration_ns", .meaning = {"length of its marker", "标记的时长"}}),
    Of<[](const StepRow& row) { return row.step->start; }>(
        {.name = "start_ns",
         .meaning = {"when the interval begins that all else refers to",
                     "所有统计所用区间的开始时间"}}),
    Of<[](const StepRow& row) { return row.step->duration; }>(
        {.name = "duration_ns", .meaning = {"length of that interval", "该区间的时长"}}),
    Of<[](const StepRow& row) { return row.step->used(); }>(
        {.name = "used",
         .meaning = {"whether it counts in medians and sums", "是否计入中位数与合计"}}),
    Of<[](const StepRow& row) -> std::optional<WhyUnused> {
      if (row.step->used()) return std::nullopt;
      return row.step->why_unused;
    }>({.name = "why_unused",
        .meaning = {"why it does not", "不计入的原因"},
        .schema = R"({"enum": [null, "warmup", "cut", "no_device_work", "not_selected"]})"}),
    RowsOf<[](const StepRow& row) {
      std::vector<StepDeviceRow> devices;
      for (const DeviceStep& device : row.breakdown->devices)
        devices.push_back({row.step, &device});
      return devices;
    }>({.name = "devices",
        .meaning = {"where its time goes on each device", "各设备上的时间去向"},
        .schema = R"({"type": "array", "items": {"$ref": "#/$defs/device_step"}})"},
       kStepDeviceColumns),
    RecordOf<[](const StepRow& row) -> const std::optional<PriorityPartition>& {
      return row.breakdown->priority;
    }>({.name = "priority_ns",
        .meaning = {"the TensorBoard plugin's partition; adds up to duration_ns",
                    "TensorBoard 插件的划分；合计等于 duration_ns"},
        .nulls = Nulls::kNull},
       kPriorityColumns),
});

}  // namespace stepscope::tables
