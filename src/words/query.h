#pragma once

#include <array>

#include "words/text.h"

// `query` and `export`: what stands around the rows.
namespace stepscope {

inline constexpr std::array kQueryTexts = std::to_array<Text>({
    {"query.rows", "{rows:count} {row|rows} in {time:duration}", "{rows} 行，用时 {time}"},
    {"query.first-rows",
     "the first {rows:count} {row|rows}; --limit N shows more, --format csv writes all",
     "前 {rows} 行；--limit N 可显示更多，--format csv 输出全部"},
    {"query.empty-table", "{table} is empty: the profile has no {lacks}.",
     "{table} 为空：性能数据中没有{lacks}。"},
    {"query.lacks.device-work", "device work", "设备任务"},
    {"query.lacks.ops", "framework ops", "框架算子"},
    {"query.lacks.calls", "runtime calls", "运行时调用"},
    {"query.lacks.collectives", "collectives", "集合通信"},
    {"query.lacks.flows", "flows between slices", "slice 之间的箭头"},
    {"query.lacks.counters", "counters", "计数器"},
    {"query.lacks.memory", "memory events (PyTorch: profile_memory=True)",
     "内存事件（PyTorch：profile_memory=True）"},
    {"query.lacks.steps", "steps", "步"},
    {"query.lacks.hlo", "HLO ops (an XPlane file of XLA has them)",
     "HLO 算子（XLA 的 XPlane 文件才有）"},
    {"query.lacks.modules", "modules (PyTorch: with_modules=True or with_stack=True)",
     "模块（PyTorch：with_modules=True 或 with_stack=True）"},
    {"query.lacks.rows", "rows for it", "相应的数据"},
    {"query.tables", "Tables", "表"},
    {"query.views", "Views", "视图"},
    {"query.functions", "Functions", "函数"},
    {"query.library", "Ready questions", "现成的查询"},
    {"query.prompt",
     "A statement ends with ; or an empty line. .help lists commands, .quit leaves.",
     "语句以 ; 或空行结束。.help 列出命令，.quit 退出。"},
    {"query.prompt-help",
     ".tables [NAME]  tables, views, functions; or the columns of one\n"
     ".schema [NAME]  the same as CREATE statements\n"
     ".list           ready questions; type the name of one to run it\n"
     ".mode FORMAT    table, csv, json or jsonl\n"
     ".limit N        rows to show, 0 for all\n"
     ".timeout S      seconds a query may take, 0 for any time\n"
     ".quit           or Ctrl-D\n",
     ".tables [名称]  表、视图与函数；或某个表的列\n"
     ".schema [名称]  同上，写成 CREATE 语句\n"
     ".list           现成的查询；输入名称即可运行\n"
     ".mode 格式      table、csv、json 或 jsonl\n"
     ".limit N        显示的行数，0 为全部\n"
     ".timeout S      查询最长秒数，0 为不限\n"
     ".quit           或 Ctrl-D\n"},
});

}  // namespace stepscope
