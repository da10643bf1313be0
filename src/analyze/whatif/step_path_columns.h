#pragma once

#include <array>

#include "analyze/whatif/step_path.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kCriticalPathColumns = std::to_array<Column>({
    Of<&CriticalRow::name>(
        {.name = "name", .meaning = {"what the path goes through", "路径经过的事件"}}),
    Of<[](const CriticalRow& row) { return NameOf(row.kind); }>(
        {.name = "kind", .meaning = {"its kind", "种类"}}),
    Of<&CriticalRow::device>(
        {.name = "device", .meaning = {"whether it runs on a device", "是否在设备上运行"}}),
    Of<&CriticalRow::spans>(
        {.name = "spans", .meaning = {"how often the path goes through it", "路径经过的次数"}}),
    Of<&CriticalRow::total>({.name = "ns", .meaning = {"its part of the path", "占路径的时间"}}),
});

}  // namespace stepscope::tables
