#pragma once

#include <array>

#include "base/diagnostics.h"
#include "present/words.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kQualityExampleColumns = std::to_array<Column>({
    Of<&Diagnostics::Example::offset>({.name = "offset",
                                       .meaning = {"byte of the file", "在文件中的字节位置"},
                                       .unit = Unit::kBytes}),
    Of<&Diagnostics::Example::text>(
        {.name = "text", .meaning = {"what stands there", "该处的内容"}}),
});

inline constexpr auto kQualityColumns = std::to_array<Column>({
    Of<[](const Diagnostics::Entry& entry) { return CodeOf(entry.code); }>(
        {.name = "code", .meaning = {"stable name, for programs", "固定的名称，供程序使用"}}),
    Of<[](const Diagnostics::Entry& entry) { return SeverityOf(entry.code); }>(
        {.name = "severity",
         .meaning = {"info, warning or error", "info（信息）、warning（警告）或 error（错误）"},
         .schema = R"({"enum": ["info", "warning", "error"]})"}),
    Of<&Diagnostics::Entry::count>({.name = "count", .meaning = {"how often", "次数"}}),
    Of<[](const Diagnostics::Entry& entry) { return Messages(QualitySentence(entry)); }>(
        {.name = "sentence", .meaning = {"for people", "给人看的说明"}}),
    RowsOf<&Diagnostics::Entry::examples>(
        {.name = "examples", .meaning = {"the first places", "最先出现的位置"}},
        kQualityExampleColumns),
});

inline constexpr TableFacts kQuality{"quality",
                                     {"a reason to doubt the profile", "对数据可信度的一条提示"},
                                     kQualityColumns,
                                     "quality",
                                     "Quality"};

}  // namespace stepscope::tables
