#pragma once

#include <array>

#include "analyze/report.h"
#include "tables/column_of.h"

namespace stepscope::tables {

inline constexpr auto kPythonColumns = std::to_array<Column>({
    Of<&PythonRow::function>({.name = "function",
                              .meaning = {"the function, as Python names it", "Python 中的函数名"},
                              .title = {"Function", "函数"},
                              .page = {.place = 1, .brief = true}}),
    Of<&PythonRow::file>({.name = "file",
                          .meaning = {"the file of the function", "函数所在的文件"},
                          .title = {"File", "文件"},
                          .page = {.place = 2, .brief = true}}),
    Of<&PythonRow::line>({.name = "line",
                          .meaning = {"the line in the file", "文件中的行号"},
                          .title = {"Line", "行"},
                          .page = {.place = 3, .brief = true}}),
    Of<&PythonRow::samples>(
        {.name = "samples",
         .meaning = {"samples that found it on the stack", "在调用栈中出现的采样数"},
         .title = {"Samples", "采样数"},
         .schema = R"({"type": "integer", "minimum": 1})",
         .page = {.place = 6}}),
    Of<&PythonRow::self>({.name = "self_ns",
                          .meaning = {"time on the line itself", "该行自身的时间"},
                          .title = {"Self", "自身"},
                          .page = {.place = 4, .brief = true}}),
    Of<&PythonRow::total>(
        {.name = "total_ns",
         .meaning = {"time on the line and in what it called", "该行及其调用的总时间"},
         .title = {"Total", "总计"},
         .page = {.place = 5, .brief = true}}),
});

}  // namespace stepscope::tables
