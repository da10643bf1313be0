#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"
#include "trace/device_id.h"

namespace stepscope::tables {

inline constexpr auto kEventColumns = std::to_array<Column>({
    Of<[](const uint32_t& event) { return event; }>(
        {.name = "", .meaning = {"event id", "事件编号"}}),
});

inline constexpr auto kIdleGapColumns = std::to_array<Column>({
    Of<&IdleGap::start>({.name = "start_ns", .meaning = {"when it begins", "开始时间"}}),
    Of<&IdleGap::length>({.name = "ns", .meaning = {"how long it lasts", "时长"}}),
    RowsOf<[](const Trace& trace, const IdleGap& gap) {
      std::vector<uint32_t> events;
      for (const SliceId slice : {gap.blamed, gap.next_work}) {
        if (slice != kNoSlice) events.push_back(trace.slices.event[Index(slice)]);
      }
      return events;
    }>({.name = "evidence",
        .meaning = {"event ids: what the host was doing, and the work that ended the gap",
                    "事件编号：主机当时在做的事，以及结束空闲的设备任务"}},
       kEventColumns),
});

inline constexpr auto kIdleCauseColumns = std::to_array<Column>({
    Of<[](const Trace& trace, const IdleCause& row) { return DeviceIdAt(trace, row.device); }>(
        {.name = "device",
         .meaning = {"the device that idles", "空闲的设备"},
         .title = {"Device", "设备"},
         .schema = R"({"$ref": "#/$defs/device_id"})"}),
    Of<&IdleCause::cause>({.name = "cause",
                           .meaning = {"why it idles", "空闲的原因"},
                           .title = {"Cause", "原因"},
                           .schema = R"({"$ref": "#/$defs/cause"})"}),
    Of<&IdleCause::total>({.name = "ns",
                           .meaning = {"idle time with this cause", "由此原因造成的空闲时间"},
                           .title = {"Time", "时间"}}),
    Of<&IdleCause::gaps>({.name = "gaps",
                          .meaning = {"how many stretches", "空闲段数"},
                          .title = {"Gaps", "空隙数"}}),
    RecordOf<&IdleCause::longest>({.name = "longest",
                                   .meaning = {"the longest stretch", "最长的一段"},
                                   .title = {"Longest", "最长"}},
                                  kIdleGapColumns),
    Of<[](const IdleCause& row) { return row.longest.start; }>(
        {.name = "longest_start_ns",
         .meaning = {"when the longest stretch begins", "最长一段的开始时间"},
         .shown = kInTables}),
    Of<[](const IdleCause& row) { return row.longest.length; }>(
        {.name = "longest_ns",
         .meaning = {"how long it lasts", "最长一段的时长"},
         .shown = kInTables}),
    Of<&IdleCause::example>(
        {.name = "example",
         .meaning = {"the code that most of it is spent in", "其中耗时最多的代码"},
         .title = {"Example", "示例"}}),
});

}  // namespace stepscope::tables
