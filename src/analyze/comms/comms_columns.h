#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kCollectiveColumns = std::to_array<Column>({
    Of<&CollectiveRow::name>(
        {.name = "name", .meaning = {"the collective: allreduce, …", "集合通信：allreduce 等"}}),
    Of<&CollectiveRow::calls>({.name = "calls", .meaning = {"how often it ran", "运行次数"}}),
    Of<&CollectiveRow::total>(
        {.name = "ns", .meaning = {"time of all calls, added up", "所有调用的时间之和"}}),
    Of<&CollectiveRow::bytes>({.name = "bytes",
                               .meaning = {"what all calls moved", "所有调用的数据量"},
                               .unit = Unit::kBytes}),
});

}  // namespace stepscope::tables
