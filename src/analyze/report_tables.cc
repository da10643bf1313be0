#include "analyze/report_tables.h"

#include <array>

#include "analyze/breakdown/breakdown_columns.h"
#include "analyze/breakdown/timeline_columns.h"
#include "analyze/comms/comms_columns.h"
#include "analyze/counters/counters_columns.h"
#include "analyze/hlo/hlo_columns.h"
#include "analyze/idle/idle_columns.h"
#include "analyze/input/input_columns.h"
#include "analyze/kernels/kernels_columns.h"
#include "analyze/launches/launches_columns.h"
#include "analyze/memory/memory_columns.h"
#include "analyze/modules/modules_columns.h"
#include "analyze/ops/ops_columns.h"
#include "analyze/recorded/python_columns.h"
#include "analyze/report.h"
#include "analyze/whatif/step_path_columns.h"

namespace stepscope::tables {
namespace {

template <typename Row>
TableRows Borrowed(const LinkedTrace& linked, const std::vector<Row>& rows) {
  return {{&linked.trace, rows.data(), static_cast<uint32_t>(rows.size())}};
}
template <typename Row>
TableRows Kept(const LinkedTrace& linked, std::vector<Row> rows) {
  auto kept = std::make_shared<const std::vector<Row>>(std::move(rows));
  return {{&linked.trace, kept->data(), static_cast<uint32_t>(kept->size())}, kept};
}
template <auto kMember>
TableRows Of(const LinkedTrace& linked, const Report& report) {
  return Borrowed(linked, report.*kMember);
}

TableRows StepRows(const LinkedTrace& linked, const Report& report) {
  static const StepBreakdown kNoBreakdown;
  std::vector<StepRow> rows;
  for (size_t i = 0; i < linked.steps.items.size(); ++i) {
    rows.push_back({&linked.steps.items[i],
                    i < report.breakdown.size() ? &report.breakdown[i] : &kNoBreakdown});
  }
  return Kept(linked, std::move(rows));
}

TableRows StepDeviceRows(const LinkedTrace& linked, const Report& report) {
  std::vector<StepDeviceRow> rows;
  for (size_t i = 0; i < report.breakdown.size(); ++i) {
    for (const DeviceStep& device : report.breakdown[i].devices) {
      rows.push_back({&linked.steps.items[i], &device});
    }
  }
  return Kept(linked, std::move(rows));
}

TableRows CollectiveRows(const LinkedTrace& linked, const Report& report) {
  static const std::vector<CollectiveRow> kNone;
  return Borrowed(linked, report.communication ? report.communication->by_collective : kNone);
}

}  // namespace

const ReportTable kSteps{{"steps", {"a step", "一步"}, kStepColumns, "step", "Step", "steps"},
                         StepRows};
const ReportTable kStepDevices{
    {"step_devices",
     {"a step on one device: duration = compute + exposed communication "
      "+ exposed copy + exposed memset + idle",
      "一个设备上的一步：时长 = 计算 + 暴露的通信 + 暴露的拷贝 + 暴露的置零 + 空闲"},
     kStepDeviceColumns,
     "device_step",
     "DeviceStep"},
    StepDeviceRows};
const ReportTable kIdleCauses{
    {"idle_causes",
     {"a cause of idle time on one device, over all steps", "一个设备上的一种空闲原因，所有步合计"},
     kIdleCauseColumns,
     "idle_cause",
     "IdleCause"},
    Of<&Report::idle_causes>};
const ReportTable kOps{{"ops",
                        {"an op or annotation, by name", "一个算子或标注，按名称"},
                        kOpColumns,
                        "op",
                        "OpRow",
                        "ops"},
                       Of<&Report::ops>};
const ReportTable kOpsByShape{{"ops_by_shape",
                               {"an op, by name and input shapes", "一个算子，按名称与输入形状"},
                               kOpByShapeColumns,
                               "op_by_shape",
                               "OpByShapeRow",
                               "ops_by_shape"},
                              Of<&Report::ops_by_shape>};
const ReportTable kKernels{{"kernels",
                            {"a kernel, copy or memset, by device, kind and name",
                             "一个内核、拷贝或置零，按设备、种类与名称"},
                            kKernelColumns,
                            "kernel",
                            "KernelRow",
                            "kernels"},
                           Of<&Report::kernels>};
const ReportTable kHlo{
    {"hlo", {"an XLA instruction", "一条 XLA 指令"}, kHloColumns, "hlo", "HloRow"},
    Of<&Report::hlo>};
const ReportTable kModules{
    {"modules",
     {"a module of the program, parents first", "程序的一个模块，父模块在前"},
     kModuleColumns,
     "module",
     "ModuleRow"},
    Of<&Report::modules>};
const ReportTable kMemory{
    {"memory", {"a device's memory", "一个设备的内存"}, kMemoryColumns, "memory", "MemoryRow"},
    Of<&Report::memory>};
const ReportTable kCollectives{{"collectives",
                                {"a collective, by name", "一种集合通信，按名称"},
                                kCollectiveColumns,
                                "collective",
                                "CollectiveRow"},
                               CollectiveRows};
const ReportTable kInputStages{
    {"input_stages",
     {"a stage of the input pipeline, the bottleneck first", "输入流水线的一个阶段，瓶颈在前"},
     kInputStageColumns,
     "input_stage",
     "InputStage"},
    [](const LinkedTrace& linked, const Report& report) {
      return Borrowed(linked, report.input.stages);
    }};
const ReportTable kCounters{{"counters",
                             {"a series of a counter", "计数器的一个序列"},
                             kCounterColumns,
                             "counter",
                             "CounterRow"},
                            Of<&Report::counters>};
const ReportTable kCriticalPath{
    {"critical_path",
     {"what the critical path of the median step goes through, the longest first",
      "中位步的关键路径所经过的，时间最长的在前"},
     kCriticalPathColumns,
     "critical_row",
     "CriticalRow"},
    [](const LinkedTrace& linked, const Report& report) {
      return Kept(linked, AnalyzeCriticalPath(linked, report.verdict.step).rows);
    }};
const ReportTable kDeviceTimeline{{"device_timeline",
                                   {"a device over the whole profile", "整个记录期间的一个设备"},
                                   kDeviceTimelineColumns,
                                   "timeline",
                                   "DeviceTimeline"},
                                  Of<&Report::device_timeline>,
                                  false};
const ReportTable kQueues{
    {"queues",
     {"a stream: work handed to it and not yet started", "一个流：已提交但尚未开始的任务"},
     kQueueColumns,
     "queue",
     "StreamQueue"},
    [](const LinkedTrace& linked, const Report& report) {
      return Borrowed(linked, report.launches.queues);
    },
    false};

const ReportTable kPython{{"python",
                           {"a line of Python that samples of a recording found, by its own time",
                            "录制中采样到的一行 Python，按自身时间排序"},
                           kPythonColumns,
                           "python_line",
                           "PythonRow"},
                          Of<&Report::python>};

std::span<const ReportTable* const> ReportTables() {
  static constexpr std::array kAll{&kSteps,        &kStepDevices,    &kIdleCauses,  &kOps,
                                   &kOpsByShape,   &kKernels,        &kHlo,         &kModules,
                                   &kMemory,       &kCollectives,    &kInputStages, &kCounters,
                                   &kCriticalPath, &kDeviceTimeline, &kQueues,      &kPython};
  return kAll;
}

}  // namespace stepscope::tables
