#pragma once

#include <array>

#include "advise/finding.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kFindingColumns = std::to_array<Column>({
    Of<&Finding::rule>(
        {.name = "rule", .meaning = {"the rule that fired", "触发的规则"}, .shown = kInTables}),
    Of<&Finding::severity>({.name = "severity",
                            .meaning = {"high, medium, low or note", "high、medium、low 或 note"},
                            .shown = kInTables}),
    Of<&Finding::confidence>({.name = "confidence",
                              .meaning = {"high, medium or low", "high、medium 或 low"},
                              .shown = kInTables}),
    Of<[](const Finding& row) { return row.saving.lo; }>(
        {.name = "saving_lo_ns",
         .meaning = {"what is gained at least, a step without the profiler",
                     "至少可省的时间，按不分析的步计"},
         .shown = kInTables}),
    Of<[](const Finding& row) { return row.saving.hi; }>(
        {.name = "saving_hi_ns",
         .meaning = {"what is gained at most", "至多可省的时间"},
         .shown = kInTables}),
    Of<[](const Finding& row) { return row.saving.likely; }>(
        {.name = "saving_likely_ns",
         .meaning = {"what is likely gained: findings stand in this order",
                     "大概可省的时间：发现按此排序"},
         .shown = kInTables}),
    Of<[](const Finding& row) { return Render(row.title, Language::kEnglish); }>(
        {.name = "title", .meaning = {"in a few words", "标题"}, .shown = kInTables}),
    Of<[](const Finding& row) { return Render(row.sentence, Language::kEnglish); }>(
        {.name = "sentence", .meaning = {"with its numbers", "含数字的说明"}, .shown = kInTables}),
    Of<[](const Finding& row) { return RenderLines(row.fix, Language::kEnglish); }>(
        {.name = "fix", .meaning = {"what to write", "改法"}, .shown = kInTables}),
});

inline constexpr TableFacts kFindings{.name = "findings",
                                      .meaning = {"something to change", "一条可以改进之处"},
                                      .columns = kFindingColumns,
                                      .python = "findings"};

}  // namespace stepscope::tables
