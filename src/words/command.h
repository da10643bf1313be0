#pragma once

#include <array>

#include "words/text.h"

// What the command line says whatever the verb: how errors and --help look, and what is wrong with
// arguments.
namespace stepscope {

inline constexpr std::array kCommandTexts = std::to_array<Text>({
    {"command.at-byte", " (at byte {offset:count})", "（第 {offset} 字节处）"},
    {"command.next", "  next: {step}", "  下一步：{step}"},
    {"command.usage", "usage: stepscope {verb} {usage}", "用法：stepscope {verb} {usage}"},
    {"command.examples", "examples", "示例"},
    {"command.whole-number", "needs a whole number", "需要整数"},
    {"command.least", "must be at least {least}", "至少为 {least}"},
    {"command.most", "must be at most {most}", "至多为 {most}"},
    {"command.number", "needs a number", "需要数字"},
    {"command.one-of", "must be one of {choices}", "只能是 {choices} 之一"},
    {"command.help", "stepscope {verb} --help", "stepscope {verb} --help"},
    {"command.no-option", "there is no option {name}", "没有选项 {name}"},
    {"command.did-you-mean", "there is no option {name}; did you mean {near}?",
     "没有选项 {name}；是不是 {near}？"},
    {"command.no-value", "{name} takes no value", "{name} 不带值"},
    {"command.needs-value", "{name} needs a value: {name} {metavar}",
     "{name} 需要一个值：{name} {metavar}"},
    {"command.wrong-value", "{name} {wrong}, not '{value}'", "{name} {wrong}，不能是“{value}”"},
    {"command.too-many", "'{word}' is one argument too many", "多了一个参数“{word}”"},
    {"command.missing", "{metavar} is missing", "缺少 {metavar}"},
    {"command.step-numbers", "takes step numbers like 5-8 or 5", "的写法是 5-8 或 5 这样的步号"},
    {"command.smaller-first", "takes the smaller number first", "要先写较小的步号"},
    {"command.cannot-write", "cannot write: {reason}", "无法写入：{reason}"},
    {"command.make-room", "make room or choose another place", "请腾出空间，或换一个位置"},
    {"command.no-verb", "there is no verb '{name}'", "没有命令“{name}”"},
    {"command.no-verb-but", "there is no verb '{name}'; did you mean {near}?",
     "没有命令“{name}”；是不是 {near}？"},
    {"command.json", "print JSON", "输出 JSON"},
    {"command.ascii", "plain ASCII instead of Unicode", "只用 ASCII 字符，不用 Unicode"},
    {"command.color", "colour; auto: on a terminal and without NO_COLOR",
     "颜色；auto：输出到终端且未设置 NO_COLOR 时使用"},
    {"command.width", "columns to use instead of the terminal's", "输出宽度（列），默认取终端宽度"},
    {"command.threads", "threads to read and analyse with (default: all cores)",
     "读取和分析用的线程数（默认：所有核）"},
    {"command.lang", "language; text: the locale's by default, JSON: English by default",
     "语言；文本默认随 locale，JSON 默认英文"},
    {"command.raw-csv", "CSV with cells as they are: a spreadsheet may run some of them",
     "CSV 单元格保持原样：电子表格可能会执行其中一些"},
    {"command.strict", "exit 1 when a file is cut or damaged; everything is still printed",
     "文件被截断或损坏时以 1 退出；内容照常输出"},
    {"command.memory-limit",
     "most memory to use, like 8G (default: what the machine or cgroup allows)",
     "最多使用的内存，如 8G（默认：机器或 cgroup 允许的量）"},
    {"command.standard-output", "standard output", "标准输出"},
    {"progress.reading", "reading", "读取"},
    {"progress.reading-events", "reading events", "读取事件"},
    {"progress.converting", "converting with nsys", "用 nsys 转换"},
    {"progress.analysing", "analysing", "分析"},
    {"progress.verifying", "verifying", "校验"},
    {"progress.packing", "packing", "打包"},
    {"progress.splitting", "splitting", "拆分"},
    {"progress.unpacking", "unpacking", "解包"},
    {"progress.measuring", "measuring", "测速"},
    {"progress.rank", "rank {rank} of {ranks}", "rank {rank}/{ranks}"},
    {"command.takes-size", "takes a size like 8G or 512M", "的写法是 8G 或 512M 这样的大小"},
});

}  // namespace stepscope
