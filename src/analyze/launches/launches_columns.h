#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"
#include "trace/device_id.h"

namespace stepscope::tables {

inline constexpr auto kQueueColumns = std::to_array<Column>({
    Of<[](const Trace& trace, const StreamQueue& row) { return DeviceIdAt(trace, row.device); }>(
        {.name = "device",
         .meaning = {"the device", "设备"},
         .schema = R"({"$ref": "#/$defs/device_id"})"}),
    Of<&StreamQueue::stream>({.name = "stream", .meaning = {"the stream", "流"}}),
    Of<&StreamQueue::pairs>(
        {.name = "pairs", .meaning = {"pairs of call and work", "调用与任务的配对数"}}),
    Of<&StreamQueue::max>({.name = "max", .meaning = {"the longest queue", "最大队列长度"}}),
    Of<&StreamQueue::mean>(
        {.name = "mean",
         .meaning = {"mean length over time, from the first call to the last start",
                     "从首次调用到最后一次开始，按时间平均的队列长度"}}),
    Of<&StreamQueue::empty>({.name = "empty",
                             .meaning = {"work that started when nothing else was queued",
                                         "开始时队列中再无其他任务的次数"}}),
    Of<&StreamQueue::full>({.name = "full",
                            .meaning = {"launches that brought the queue to 1,024 or more",
                                        "使队列达到 1024 或更多的启动次数"}}),
});

}  // namespace stepscope::tables
