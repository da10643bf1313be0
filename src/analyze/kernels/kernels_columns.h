#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"
#include "trace/device_id.h"

namespace stepscope::tables {

inline constexpr auto kLaunchedByColumns = std::to_array<Column>({
    Of<&LaunchedBy::op>({.name = "op", .meaning = {"name of the op", "算子名称"}}),
    Of<&LaunchedBy::total>(
        {.name = "ns",
         .meaning = {"time of the kernels that it launched", "由它启动的内核的时间"}}),
});

inline constexpr auto kKernelColumns = std::to_array<Column>({
    Of<&KernelRow::name>({.name = "name",
                          .meaning = {"name as the file spells it", "文件中的名称"},
                          .title = {"Name", "名称"},
                          .page = {.place = 1, .brief = true}}),
    // The category says whether a kernel communicates.
    Of<[](const KernelRow& row) {
      return NameOf(row.kind == Kind::kCollective ? Kind::kKernel : row.kind);
    }>({.name = "kind",
        .meaning = {"kernel, memcpy or memset", "kernel（内核）、memcpy（拷贝）或 memset（置零）"},
        .schema = R"({"enum": ["kernel", "memcpy", "memset"]})"}),
    Of<[](const Trace& trace, const KernelRow& row) { return DeviceIdAt(trace, row.device); }>(
        {.name = "device",
         .meaning = {"where it ran: gpu:N, tpu:N or cpu:0", "运行的设备：gpu:N、tpu:N 或 cpu:0"},
         .title = {"Device", "设备"},
         .schema = R"({"$ref": "#/$defs/device_id"})",
         .page = {.place = 3}}),
    Of<&KernelRow::calls>({.name = "calls",
                           .meaning = {"how often it ran", "运行次数"},
                           .title = {"Calls", "次数"},
                           .page = {.place = 4, .brief = true}}),
    Of<&KernelRow::total>({.name = "total_ns",
                           .meaning = {"time of all calls, added up", "所有调用的时间之和"},
                           .title = {"Total", "总计"},
                           .page = {.place = 5, .brief = true, .bar = true}}),
    Of<&KernelRow::min>({.name = "min_ns",
                         .meaning = {"the shortest call", "最短的一次"},
                         .title = {"Min", "最短"},
                         .page = {.place = 7, .micro = true}}),
    Of<&KernelRow::max>({.name = "max_ns",
                         .meaning = {"the longest call", "最长的一次"},
                         .title = {"Max", "最长"},
                         .page = {.place = 9, .micro = true}}),
    Of<&KernelRow::p50>({.name = "p50_ns",
                         .meaning = {"the median call", "各次时间的中位数"},
                         .title = {"Median", "中位数"},
                         .page = {.place = 8, .micro = true}}),
    Of<&KernelRow::category>({.name = "category",
                              .meaning = {"what the name says it does: gemm, convolution, …",
                                          "由名称判断的类别：gemm、convolution 等"},
                              .title = {"Category", "类别"},
                              .page = {.place = 2, .brief = true}}),
    Of<&KernelRow::tensor_core>({.name = "tensor_core",
                                 .meaning = {"whether it runs on tensor cores", "是否使用张量核心"},
                                 .title = {"Tensor cores", "张量核心"},
                                 .page = {.place = 10}}),
    RowsOf<&KernelRow::launched_by>(
        {.name = "launched_by",
         .meaning = {"the ops that launched it, the largest first", "启动它的算子，时间最长者在前"},
         .title = {"Launched by", "启动者"},
         .page = {.place = 12, .brief = true}},
        kLaunchedByColumns),
    Of<&KernelRow::mean_blocks_per_sm>({.name = "mean_blocks_per_sm",
                                        .meaning = {"blocks per multiprocessor, mean over time",
                                                    "每个 SM 的线程块数，按时间加权平均"}}),
    Of<&KernelRow::mean_occupancy_percent>(
        {.name = "mean_occupancy_percent",
         .meaning = {"estimated occupancy, mean over time", "估计占用率，按时间加权平均"},
         .title = {"Occupancy", "占用率"},
         .unit = Unit::kPercent,
         .page = {.place = 11}}),
    Of<[](const Trace& trace, const KernelRow& row) {
      return row.launched_by.empty() ? std::string_view() : trace.strings[row.launched_by[0].op];
    }>({.name = "mostly_launched_by",
        .meaning = {"the op that launched most of its time", "启动其大部分时间的算子"},
        .shown = kInTables}),
});

}  // namespace stepscope::tables
