#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kModuleColumns = std::to_array<Column>({
    Of<&ScopeRow::path>({.name = "path",
                         .meaning = {"names from the root to the module, joined by \" > \"",
                                     "从根到该模块的名称，以“ > ”相连"},
                         .title = {"Path", "路径"},
                         .page = {.place = 1}}),
    Of<&ScopeRow::calls>({.name = "calls",
                          .meaning = {"how often it ran", "运行次数"},
                          .title = {"Calls", "次数"},
                          .page = {.place = 2}}),
    Of<&ScopeRow::host_total>({.name = "host_total_ns",
                               .meaning = {"time on the host", "主机时间"},
                               .title = {"Host total", "主机总计"},
                               .below_zero = true,
                               .page = {.place = 4}}),
    Of<&ScopeRow::device_total>(
        {.name = "device_total_ns",
         .meaning = {"device work launched inside", "其内部启动的设备任务时间"},
         .title = {"Device total", "设备总计"},
         .below_zero = true,
         .page = {.place = 3, .bar = true}}),
});

}  // namespace stepscope::tables
