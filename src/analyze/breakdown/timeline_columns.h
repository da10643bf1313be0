#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"
#include "trace/device_id.h"

namespace stepscope::tables {

inline constexpr auto kTotalsColumns = std::to_array<Column>({
    Of<&TimelineTotals::compute>(
        {.name = "compute_ns", .meaning = {"computation, memsets included", "计算，含置零"}}),
    Of<&TimelineTotals::exposed_communication>(
        {.name = "exposed_communication_ns",
         .meaning = {"communication without computation beside it", "未被计算掩盖的通信"}}),
    Of<&TimelineTotals::exposed_copy>(
        {.name = "exposed_copy_ns",
         .meaning = {"copies with nothing else beside them", "未被其他任务掩盖的拷贝"}}),
    Of<&TimelineTotals::busy>({.name = "busy_ns", .meaning = {"anything ran", "设备上有任务运行"}}),
    Of<&TimelineTotals::idle>({.name = "idle_ns", .meaning = {"nothing ran", "设备空闲"}}),
    Of<&TimelineTotals::total>(
        {.name = "total_ns", .meaning = {"first start to last end", "从首个开始到最后结束"}}),
});

inline constexpr auto kDeviceTimelineColumns = std::to_array<Column>({
    Of<[](const Trace& trace, const DeviceTimeline& row) { return DeviceIdAt(trace, row.device); }>(
        {.name = "device",
         .meaning = {"the device", "设备"},
         .schema = R"({"$ref": "#/$defs/device_id"})"}),
    RecordOf<&DeviceTimeline::linked>(
        {.name = "linked",
         .meaning = {"work whose launch is in the file", "文件中有启动调用的任务"}},
        kTotalsColumns),
    RecordOf<&DeviceTimeline::all>({.name = "all", .meaning = {"all work", "全部任务"}},
                                   kTotalsColumns),
    Of<&DeviceTimeline::utilization_percent>(
        {.name = "utilization_percent",
         .meaning = {"GPU utilization of the TensorBoard plugin", "TensorBoard 插件的 GPU 利用率"},
         .unit = Unit::kPercent}),
    Of<&DeviceTimeline::sm_efficiency_percent>(
        {.name = "sm_efficiency_percent",
         .meaning = {"its estimated SM efficiency", "TensorBoard 插件的 SM 效率估计值"},
         .unit = Unit::kPercent}),
    Of<&DeviceTimeline::occupancy_percent>(
        {.name = "occupancy_percent",
         .meaning = {"its estimated achieved occupancy", "TensorBoard 插件的占用率估计值"},
         .unit = Unit::kPercent}),
    Of<&DeviceTimeline::tensor_core_percent>(
        {.name = "tensor_core_percent",
         .meaning = {"share of kernel time on tensor cores", "内核时间中张量核心所占比例"},
         .unit = Unit::kPercent}),
});

}  // namespace stepscope::tables
