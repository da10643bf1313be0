#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

constexpr std::optional<StringId> Known(StringId id) {
  if (id == kEmptyString) return std::nullopt;
  return id;
}

inline constexpr auto kHloColumns = std::to_array<Column>({
    Of<&HloRow::name>({.name = "name", .meaning = {"the XLA instruction", "XLA 指令名"}}),
    Of<[](const HloRow& row) { return Known(row.module); }>(
        {.name = "module", .meaning = {"the compiled module it is in", "所在的已编译模块"}}),
    Of<[](const HloRow& row) { return Known(row.category); }>(
        {.name = "category",
         .meaning = {"XLA's category, else the opcode", "XLA 给出的类别，没有时为操作码"}}),
    Of<[](const HloRow& row) { return Known(row.op_name); }>(
        {.name = "op_name", .meaning = {"the framework's call path", "框架中的调用路径"}}),
    Of<[](const HloRow& row) { return Known(row.source); }>(
        {.name = "source", .meaning = {"the Python line that made it", "产生它的 Python 代码行"}}),
    Of<&HloRow::calls>({.name = "calls", .meaning = {"how often it ran", "运行次数"}}),
    Of<&HloRow::total>(
        {.name = "total_ns", .meaning = {"time of all calls, added up", "所有调用的时间之和"}}),
    Of<&HloRow::flops>(
        {.name = "flops",
         .meaning = {"floating-point operations of one call", "一次调用的浮点运算数"}}),
    Of<&HloRow::bytes>({.name = "bytes",
                        .meaning = {"memory traffic of one call", "一次调用的访存量"},
                        .unit = Unit::kBytes}),
});

}  // namespace stepscope::tables
