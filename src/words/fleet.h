#pragma once

#include <array>

#include "words/text.h"

// Many profiles at once: how reading one ended, progress, what was done.
namespace stepscope {

inline constexpr std::array kFleetTexts = std::to_array<Text>({
    {"fleet.timeout", "Reading took longer than the {limit:limit} that a file may take.",
     "读取超过了每个文件允许的 {limit}。"},
    {"fleet.out-of-memory", "Reading needed more memory than a file may use.",
     "读取所需的内存超过了每个文件的限额。"},
    {"fleet.killed", "The process that read the file was ended by a signal: {signal}.",
     "读取该文件的进程被信号终止：{signal}。"},
    {"fleet.ended", "The process that read the file ended with code {code:int}.",
     "读取该文件的进程以代码 {code} 结束。"},
    {"fleet.interrupted", "Stopped before all paths were read.", "在读完所有路径之前已停止。"},
    {"fleet.interrupted.next", "Run the same command again: it goes on where it stopped.",
     "再次运行同一命令：它会从停下的地方继续。"},
    {"fleet.progress",
     "{done:count} of {all:count} profiles, {failed:count} failed, {rate:mean} a second, "
     "{left:limit} left",
     "{done}/{all} 个性能数据，失败 {failed} 个，每秒 {rate} 个，剩余 {left}"},
    {"fleet.done",
     "{read:count} {profile was|profiles were} read: {ok:count} ok, {partial:count} partial, "
     "{failed:count} failed.",
     "读取了 {read} 个性能数据：完好 {ok} 个，部分 {partial} 个，失败 {failed} 个。"},
    {"fleet.skipped", "{skipped:count} {was|were} in the tables already.",
     "{skipped} 个已在表中。"},
    {"fleet.where", "The tables are in {directory}.", "表在 {directory}。"},
    {"fleet.help.about",
     "Reads many profiles and keeps a few rows of each in tables: profiles, steps, findings, ops,\n"
     "kernels, collectives, quality. Every path gets a row, whether it can be read or not; each\n"
     "file is read in a process of its own, and --memory-limit is the limit of one file. Run\n"
     "again, it reads what is new or changed. ranks, compact, summary, regressions, page, views "
     "and\n"
     "spark are answered by the Python package (pip install 'stepscope[fleet]').",
     "读取大量性能数据，每份只留下几行，存入这些表：profiles、steps、findings、ops、\n"
     "kernels、collectives、quality。无论能否读取，每个路径都有一行；每个文件由单独的\n"
     "进程读取，--memory-limit 是单个文件的限额。再次运行时只读取新的或有变化的文件。\n"
     "ranks、compact、summary、regressions、page、views 和 spark 由 Python 包回答\n"
     "（pip install 'stepscope[fleet]'）。"},
    {"fleet.help.paths-from", "file with one path or one JSON object a line; - is standard input",
     "每行一个路径或一个 JSON 对象的文件；- 为标准输入"},
    {"fleet.help.out", "where the tables are", "表的目录"},
    {"fleet.help.format", "of the tables (default: parquet)", "表的格式（默认：parquet）"},
    {"fleet.help.batch", "profiles a file of a table (default: 1000)",
     "表的每个文件含多少份性能数据（默认：1000）"},
    {"fleet.help.timeout", "seconds that a file may take (default: 120)",
     "每个文件最长秒数（默认：120）"},
    {"fleet.help.pattern", "what paths mean, like 'jobs/{{job}/{{run}/rank{{rank}_*.json.gz'",
     "路径各部分的含义，如 'jobs/{{job}/{{run}/rank{{rank}_*.json.gz'"},
    {"fleet.help.reanalyze", "what to read although the tables have it; older: by another version",
     "已在表中仍要重读哪些；older 为其他版本读取的"},
    {"fleet.help.hash-names",
     "keep paths and names of hosts as hashes with this key (HMAC-SHA256); @FILE reads the key",
     "路径和主机名只保留以此密钥计算的散列（HMAC-SHA256）；@FILE 从文件读取密钥"},
    {"fleet.empty-key", "the file of the key is empty", "密钥文件为空"},
    {"fleet.help.max-failed", "exit 3 if more of the paths fail (default: 100)",
     "失败的路径超过此比例时以 3 退出（默认：100）"},
    {"fleet.help.example", "a night's profiles into the directory t", "把一夜的性能数据读入目录 t"},
    {"fleet.help.example-summary", "what wastes most, and what would save most",
     "什么最浪费，怎样最省"},
    {"fleet.help.example-regressions", "exit 3 if a job got slower", "有作业变慢时以 3 退出"},
    {"fleet.help.page",
     "Puts what the Python package worked out of tables into one page that opens offline. People\n"
     "call stepscope fleet page TABLES -o FILE, which does both.",
     "把 Python 包从表中得出的内容写成可离线打开的一页。\n"
     "一般直接使用 stepscope fleet page TABLES -o FILE，一步完成。"},
    {"fleet.help.page-data", "what the page shows, as JSON; - is standard input",
     "页面内容（JSON）；- 为标准输入"},
    {"fleet.help.page-out", "the page", "页面文件"},
    {"fleet.help.example-page", "the whole fleet as one offline page",
     "整个集群的一页，可离线打开"},
    {"fleet.page-needs", "--data FILE and -o FILE are needed", "需要 --data FILE 和 -o FILE"},
    {"fleet.no-page-data", "this is not what a page of a fleet shows", "这不是集群页面的内容"},
    {"fleet.see-page-help", "stepscope fleet page TABLES -o fleet.html makes the page from tables",
     "stepscope fleet page TABLES -o fleet.html 由表生成页面"},
    {"fleet.no-job",
     "say what to do: analyze, ranks, compact, summary, regressions, page, views or spark",
     "请说明做什么：analyze、ranks、compact、summary、regressions、page、views 或 spark"},
    {"fleet.see-help", "stepscope fleet --help shows examples", "stepscope fleet --help 有示例"},
    {"fleet.needs", "--paths-from LIST and --out DIR are needed",
     "需要 --paths-from LIST 和 --out DIR"},
    {"fleet.above-zero", "--timeout-per-file takes a number above 0",
     "--timeout-per-file 要大于 0"},
    {"fleet.cannot-make", "cannot make the directory: {reason}", "无法创建目录：{reason}"},
    {"fleet.other-out", "choose another place for --out", "请为 --out 换一个位置"},
    {"fleet.rows-cut", "the rows of a worker are not whole", "工作进程送来的行不完整"},
    {"fleet.again", "run the command again", "请再次运行该命令"},
    {"fleet.line-no-json", "line {number} of the list begins like a JSON object and is none",
     "清单第 {number} 行像 JSON 对象，但不是"},
    {"fleet.line-no-path", "line {number} of the list has no \"path\"",
     "清单第 {number} 行没有 \"path\""},
    {"fleet.line",
     "a line is a path, or an object like {{\"path\": \"s3://…\", \"local\": \"/tmp/…\"}",
     "每行是一个路径，或一个对象，如 {{\"path\": \"s3://…\", \"local\": \"/tmp/…\"}"},
    {"fleet.pattern-open", "a {{ of the pattern is not closed", "路径模式中有 {{ 没有闭合"},
    {"fleet.pattern-unknown", "the pattern cannot take {{{name}}", "路径模式不能用 {{{name}}"},
    {"fleet.pattern-twice", "the pattern has {{{name}} twice", "路径模式中 {{{name}} 出现了两次"},
    {"fleet.pattern-empty", "the pattern names nothing", "路径模式没有命名任何部分"},
    {"fleet.pattern-takes",
     "--path-pattern takes {{job}, {{run}, {{host}, {{attempt}, {{rank}, {{world}, * and **",
     "--path-pattern 可用 {{job}、{{run}、{{host}、{{attempt}、{{rank}、{{world}、* 和 **"},
    {"fleet.no-worker", "cannot start a worker: {reason}", "无法启动工作进程：{reason}"},
    {"fleet.fewer-workers", "use fewer --threads, or raise the limit of processes or open files",
     "请减少 --threads，或提高进程数或打开文件数的上限"},
    {"fleet.no-profile", "The path holds no profile.", "该路径没有性能数据。"},
    {"fleet.at-byte", "{sentence} (at byte {offset})", "{sentence}（第 {offset} 字节）"},
    {"fleet.help.ranks",
     "Joins ranks of runs by their summaries, as the Python package hands them over. People call\n"
     "stepscope fleet ranks TABLES, which reads and writes the tables.",
     "按摘要合并各次运行的 rank，摘要由 Python 包送来。\n"
     "一般直接使用 stepscope fleet ranks TABLES，由它读写表。"},
    {"fleet.help.ranks-summaries",
     "rows of rank_summaries, one JSON object a line, those of a run together; - is standard input",
     "rank_summaries 的行，每行一个 JSON 对象，同一次运行的相邻；- 为标准输入"},
    {"fleet.help.ranks-out", "the table of ranks", "rank 表"},
    {"fleet.help.example-ranks", "who is late in which job, from the summaries in the tables",
     "从表中的摘要得出哪个作业中谁迟到"},
    {"fleet.ranks-needs", "--summaries FILE and --out FILE are needed",
     "需要 --summaries FILE 和 --out FILE"},
    {"fleet.no-summary", "line {number} is no row of rank_summaries",
     "第 {number} 行不是 rank_summaries 的行"},
    {"fleet.see-ranks", "stepscope fleet ranks TABLES reads them from tables",
     "stepscope fleet ranks TABLES 从表中读取"},
    {"fleet.ranks-done",
     "Joined {ranks:count} {rank|ranks} of {runs:count} {run|runs}; {unreadable:count} "
     "{summary|summaries} could not be read.",
     "合并了 {runs} 次运行的 {ranks} 个 rank；{unreadable} 个摘要无法读取。"},
    {"fleet.no-python", "cannot start {python}", "无法启动 {python}"},
    {"fleet.no-package", "{python} has no package stepscope with fleet",
     "{python} 没有带 fleet 的 stepscope 包"},
    {"fleet.install",
     "pip install 'stepscope[fleet]', or name the interpreter that has it with STEPSCOPE_PYTHON",
     "pip install 'stepscope[fleet]'，或用 STEPSCOPE_PYTHON 指定装有它的解释器"},
    {"fleet.check-python", "check STEPSCOPE_PYTHON", "请检查 STEPSCOPE_PYTHON"},
});

}  // namespace stepscope
