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
    {"query.lacks.execution",
     "an execution trace of PyTorch (give it together with the profile of the same run)",
     "PyTorch 的执行记录（请与同一次运行的性能数据一起给出）"},
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
    {"query.help.about",
     "Answers SQL over the tables of one or several profiles: SQLite reads Stepscope's own\n"
     "columns. Names are Perfetto's where it has them (slice, thread, ts, dur); HTA's and\n"
     "Nsight Systems' tables are there as views. Without SQL it asks for statements.\n"
     "NAME is a ready question (--list), with its argument: \"shapes-of aten::mm\".",
     "用 SQL 查询一份或多份性能数据的表：SQLite 直接读取 Stepscope 的列。\n"
     "名称尽量与 Perfetto 相同（slice、thread、ts、dur）；HTA 和 Nsight Systems\n"
     "的表以视图提供。不给 SQL 时进入交互。\n"
     "NAME 是现成的查询（--list），可带参数：\"shapes-of aten::mm\"。"},
    {"query.help.file", "read the SQL from a file; - is standard input",
     "从文件读取 SQL；- 为标准输入"},
    {"query.help.format", "how rows are written (default: table)", "输出格式（默认：table）"},
    {"query.help.out", "write the rows there; the name may say the format",
     "结果写到哪里；文件名可决定格式"},
    {"query.help.limit", "rows to write, 0 for all (default: 1000 of a table, else all)",
     "输出的行数，0 为全部（默认：table 为 1000 行，其他为全部）"},
    {"query.help.timeout", "seconds that the query may take", "查询最长秒数"},
    {"query.help.arg", "a value for ?1, ?2, … of the SQL", "SQL 中 ?1、?2 … 的值"},
    {"query.help.around", "looking around", "查看有什么"},
    {"query.help.list", "the ready questions; with NAME: its SQL",
     "现成的查询；带 NAME 时给出它的 SQL"},
    {"query.help.tables", "tables, views and functions; with NAME: its columns",
     "表、视图与函数；带 NAME 时给出它的列"},
    {"query.help.explain", "how the rows would be found", "将怎样查找这些行"},
    {"query.help.example", "the five most expensive kernels", "最耗时的五个 kernel"},
    {"query.help.example-saved", "the same as a ready question", "同样的内容，用现成的查询"},
    {"query.help.example-prompt", "a prompt with history and completion", "交互，带历史记录和补全"},
    {"query.help.example-parquet", "rows for pandas, DuckDB or Spark",
     "供 pandas、DuckDB 或 Spark 使用"},
    {"query.help.example-tables", "the columns of a table", "一张表的列"},
    {"query.not-terminal", "Parquet is not for a terminal", "Parquet 不能输出到终端"},
    {"query.add-output", "add -o FILE.parquet", "请加上 -o FILE.parquet"},
    {"query.no-profile", "no profile is named", "没有给出性能数据"},
    {"query.no-saved", "no ready question is called {name}", "没有名为 {name} 的现成查询"},
    {"query.no-command", "there is no command {name}", "没有命令 {name}"},
    {"query.type-help", "type .help", "请输入 .help"},
    {"query.did-you-mean", "did you mean {near}?", "是不是 {near}？"},
    {"query.modes", ".mode takes table, csv, json or jsonl",
     ".mode 可取 table、csv、json 或 jsonl"},
    {"query.type-mode", "type .mode table", "请输入 .mode table"},
    {"query.takes-number", "{command} takes a whole number", "{command} 需要整数"},
    {"query.type-zero", "type {command} 0", "请输入 {command} 0"},
    {"query.no-sqlite", "SQLite does not start: {why}", "SQLite 无法启动：{why}"},
    {"query.no-table", "there is no table {name}", "没有表 {name}"},
    {"query.bad-quantile", "quantile(x, q) takes a q from 0 to 1", "quantile(x, q) 的 q 取 0 到 1"},
    {"query.bad-percentile", "percentile(x, p) takes a p from 0 to 100",
     "percentile(x, p) 的 p 取 0 到 100"},
    {"query.which-args",
     "args is read from the file event by event: say of which slices, as in JOIN args ON "
     "args.arg_set_id = slice.id or WHERE arg_set_id = 12",
     "args 逐个事件从文件读取：请说明是哪些 slice，例如 JOIN args ON args.arg_set_id = slice.id 或 "
     "WHERE arg_set_id = 12"},
    {"query.list-tables", "stepscope query --tables lists the tables",
     "stepscope query --tables 列出所有表"},
    {"query.list-columns", "stepscope query --tables lists tables and columns",
     "stepscope query --tables 列出所有表和列"},
    {"query.list-functions", "docs/query.md lists the functions", "docs/query.md 列出所有函数"},
    {"query.temp-only", "write CREATE TEMP TABLE or CREATE TEMP VIEW",
     "请写 CREATE TEMP TABLE 或 CREATE TEMP VIEW"},
    {"query.last-only", "only the last statement may return rows", "只有最后一条语句可以返回行"},
    {"query.one-by-one", "ask the questions one by one", "请逐条查询"},
    {"query.zero-byte", "the query has a zero byte", "查询中有零字节"},
    {"query.only-text", "give SQL as plain text", "请以纯文本给出 SQL"},
    {"query.empty", "the query is empty", "查询是空的"},
    {"query.ask-like", "ask something like SELECT name, dur FROM slice",
     "例如 SELECT name, dur FROM slice"},
    {"query.no-module", "of Perfetto's modules only slices.with_context is built in",
     "Perfetto 的模块中只内置了 slices.with_context"},
    {"query.leave-module", "leave the line out; .tables lists what there is",
     "请去掉这一行；.tables 列出可用的内容"},
    {"query.interrupted", "the query was interrupted", "查询被中断"},
    {"query.too-long", "the query took longer than {seconds:g} s", "查询超过了 {seconds} s"},
    {"query.more-time", "ask for less, or give it more time with --timeout",
     "请缩小查询，或用 --timeout 给更多时间"},
    {"query.too-large", "the query needs more than 2 GiB of memory", "查询需要超过 2 GiB 的内存"},
    {"query.ask-less", "ask for less: fewer columns to sort by, a WHERE, a LIMIT",
     "请缩小查询：减少排序的列，加上 WHERE 或 LIMIT"},
    {"query.refused", "{what} is refused: a query only reads", "不允许 {what}：查询只能读取"},
    {"query.refused-function", "this function is refused: a query only reads",
     "不允许使用这个函数：查询只能读取"},
    {"query.refused-statement", "this statement is refused: a query only reads",
     "不允许这条语句：查询只能读取"},
    {"query.write-select", "write a SELECT", "请写 SELECT"},
    {"query.read-once", "Standard input cannot be read a second time.", "标准输入不能读第二遍。"},
    {"query.no-single-events", "Single events of this format are not read again.",
     "这种格式不支持重新读取单个事件。"},
});

// Files of `export`.
inline constexpr std::array kExportTexts = std::to_array<Text>({
    {"export.help.about",
     "Writes what a profile holds in other tools' formats. Tables (parquet, arrow, csv, jsonl)\n"
     "become a directory with one file a table, or one file for one table; sqlite holds them "
     "all.\n"
     "pprof, speedscope and folded are flame graphs; chrome and perfetto are what `timeline` "
     "writes.",
     "把性能数据写成其他工具的格式。表（parquet、arrow、csv、jsonl）写成目录，\n"
     "每张表一个文件，或一张表一个文件；sqlite 包含所有表。\n"
     "pprof、speedscope 和 folded 是火焰图；chrome 和 perfetto 与 `timeline` 写出的相同。"},
    {"export.help.out", "where to write", "写到哪里"},
    {"export.help.format", "default: by the name of the output, else parquet",
     "默认：由输出文件名决定，否则 parquet"},
    {"export.help.device", "only this device, like gpu:0, and the host",
     "只看这个设备（如 gpu:0）和主机"},
    {"export.help.section-tables", "tables", "表"},
    {"export.help.tables", "only these, with commas between: slices,kernels",
     "只写这些表，用逗号分隔：slices,kernels"},
    {"export.help.flames", "flame graphs", "火焰图"},
    {"export.help.stack", "what stacks are made of (default: ops)", "栈由什么组成（默认：ops）"},
    {"export.help.weight",
     "what is added up (default: device where there is device work, else host)",
     "累加什么（默认：有设备任务时为 device，否则 host）"},
    {"export.help.idle", "idle time of devices too, by cause", "也包含设备的空闲时间，按原因"},
    {"export.help.example", "Parquet, one file a table", "Parquet，每张表一个文件"},
    {"export.help.example-one", "one table of several ranks", "多个 rank 的一张表"},
    {"export.help.example-pprof", "for go tool pprof", "供 go tool pprof 使用"},
    {"export.help.example-speedscope", "one step for speedscope.app",
     "一个 step，供 speedscope.app 使用"},
    {"export.takes-names", "takes names with commas between", "的写法是用逗号分隔的名字"},
    {"export.no-device", "the profile has no device {wanted}", "性能数据里没有设备 {wanted}"},
    {"export.leave-device", "leave --device out: the profile names none",
     "请去掉 --device：数据没有给出设备名"},
    {"export.devices", "--device takes {known}", "--device 可取 {known}"},
    {"export.no-step", "the profile has no step with such a number",
     "性能数据里没有这些编号的 step"},
    {"export.list-steps", "stepscope query steps PATH lists the steps",
     "stepscope query steps PATH 列出所有 step"},
    {"export.all-devices", "a timeline is of all devices", "时间线包含所有设备"},
    {"export.without-device", "leave --device out", "请去掉 --device"},
    {"export.missing-out", "-o FILE|DIR is missing", "缺少 -o FILE|DIR"},
    {"export.say-where", "say where to write", "请说明写到哪里"},
    {"export.no-hlo", "the profile has no HLO", "性能数据里没有 HLO"},
    {"export.hlo-in-xplane",
     "an XPlane file of JAX or TensorFlow has it; --stack ops works with every profile",
     "JAX 或 TensorFlow 的 XPlane 文件才有；--stack ops 适用于所有数据"},
    {"export.no-frames", "the profile has no Python frames", "性能数据里没有 Python 栈帧"},
    {"export.with-stack", "record with with_stack=True, or use --stack ops",
     "请用 with_stack=True 录制，或使用 --stack ops"},
    {"export.cannot-write", "cannot write: {reason}", "无法写入：{reason}"},
    {"export.make-room", "make room or choose another place", "请腾出空间，或换一个位置"},
    {"export.other-place", "choose another place for -o", "请为 -o 换一个位置"},
    {"export.no-table", "there is no table {name}", "没有表 {name}"},
    {"export.tables", "--tables takes {known}", "--tables 可取 {known}"},
    {"export.did-you-mean", "did you mean {near}?", "是不是 {near}？"},
    {"export.cannot-make", "cannot make the directory: {reason}", "无法创建目录：{reason}"},
    {"export.one-table", "{where} holds one table", "{where} 只能放一张表"},
    {"export.one-table-out", "standard output holds one table", "标准输出只能放一张表"},
    {"export.name-directory", "name a directory with -o, or one table with --tables",
     "请用 -o 给出目录，或用 --tables 只给一张表"},
});

}  // namespace stepscope
