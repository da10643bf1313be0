#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kCounterColumns = std::to_array<Column>({
    Of<&CounterRow::name>({.name = "name", .meaning = {"the counter", "计数器名称"}}),
    Of<&CounterRow::series>({.name = "series", .meaning = {"the series of it", "计数器中的序列"}}),
    Of<&CounterRow::samples>({.name = "samples", .meaning = {"how many samples", "采样数"}}),
    Of<&CounterRow::min>(
        {.name = "min", .meaning = {"the smallest", "最小值"}, .nulls = Nulls::kNull}),
    Of<&CounterRow::max>(
        {.name = "max", .meaning = {"the largest", "最大值"}, .nulls = Nulls::kNull}),
    Of<&CounterRow::mean>({.name = "mean",
                           .meaning = {"mean of the samples", "采样的平均值"},
                           .nulls = Nulls::kNull}),
    Of<&CounterRow::last>(
        {.name = "last", .meaning = {"the last", "最后的值"}, .nulls = Nulls::kNull}),
});

}  // namespace stepscope::tables
