#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kAllocatorColumns = std::to_array<Column>({
    Of<&MemoryAllocator::name>({.name = "name", .meaning = {"its name", "分配器名称"}}),
    Of<&MemoryAllocator::peak_allocated_bytes>(
        {.name = "peak_allocated_bytes",
         .meaning = {"the most it says it had handed out", "分配器自报的已分配峰值"},
         .unit = Unit::kBytes}),
    Of<&MemoryAllocator::peak_of_running_sum_bytes>(
        {.name = "peak_of_running_sum_bytes",
         .meaning = {"peak of allocations less frees", "分配减释放的累计峰值"},
         .unit = Unit::kBytes}),
    Of<&MemoryAllocator::end_allocated_bytes>(
        {.name = "end_allocated_bytes",
         .meaning = {"what it says is handed out at the end", "结束时自报的已分配量"},
         .unit = Unit::kBytes}),
    Of<&MemoryAllocator::allocations>({.name = "allocations", .meaning = {"how many", "分配次数"}}),
});

inline constexpr auto kMemoryTopOpColumns = std::to_array<Column>({
    Of<&MemoryTopOp::op>({.name = "op", .meaning = {"name of the op", "算子名称"}}),
    Of<&MemoryTopOp::bytes>(
        {.name = "bytes",
         .meaning = {"allocated by it and live at the peak", "由它分配且在峰值时存活"},
         .unit = Unit::kBytes}),
});

inline constexpr auto kMemoryColumns = std::to_array<Column>({
    Of<[](const MemoryRow& row) { return DeviceIdOf(row.type, row.device); }>(
        {.name = "device",
         .meaning = {"whose memory it is", "内存所属的设备"},
         .schema = R"({"$ref": "#/$defs/device_id"})"}),
    Of<&MemoryRow::peak_allocated_bytes>(
        {.name = "peak_allocated_bytes",
         .meaning = {"the most that the allocator says it had handed out",
                     "分配器自报的已分配峰值"},
         .unit = Unit::kBytes}),
    Of<&MemoryRow::peak_of_running_sum_bytes>(
        {.name = "peak_of_running_sum_bytes",
         .meaning = {"peak of allocations less frees", "分配减释放的累计峰值"},
         .unit = Unit::kBytes}),
    Of<&MemoryRow::peak_reserved_bytes>(
        {.name = "peak_reserved_bytes",
         .meaning = {"the most that the allocator says it had reserved", "分配器自报的保留峰值"},
         .unit = Unit::kBytes}),
    Of<&MemoryRow::peak_at>({.name = "peak_at_ns", .meaning = {"when the peak was", "峰值的时间"}}),
    Of<&MemoryRow::end_allocated_bytes>(
        {.name = "end_allocated_bytes",
         .meaning = {"what is allocated at the end", "结束时的已分配量"},
         .unit = Unit::kBytes}),
    Of<&MemoryRow::growth_bytes_per_step>({.name = "growth_bytes_per_step",
                                           .meaning = {"what each step adds", "每一步的增长"},
                                           .unit = Unit::kBytes}),
    RowsOf<&MemoryRow::allocators>(
        {.name = "allocators",
         .meaning = {"the allocators that share the device, where the file names them",
                     "共用该设备的分配器，仅当文件给出名称时"},
         .nulls = Nulls::kAbsent},
        kAllocatorColumns),
    RowsOf<&MemoryRow::top_ops>(
        {.name = "top_ops", .meaning = {"the ops that held the peak", "占用峰值内存的算子"}},
        kMemoryTopOpColumns),
});

}  // namespace stepscope::tables
