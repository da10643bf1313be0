#pragma once

#include <array>

#include "words/text.h"

// What is wrong with a stepscope.toml.
namespace stepscope {

inline constexpr std::array kSettingsTexts = std::to_array<Text>({
    {"settings.listed", "{what} that `{command}` lists", "`{command}` 列出的{what}"},
    {"settings.near", "{what} such as {nearest}", "{what}，如 {nearest}"},
    {"settings.line", "Line {line}: {what}; expected {expected}.",
     "第 {line} 行：{what}；应为{expected}。"},
    {"settings.shows", "docs/advise.md shows a stepscope.toml",
     "docs/advise.md 中有 stepscope.toml 的示例"},
    {"settings.not-closed", "a table heading is not closed", "表头没有闭合"},
    {"settings.either", "[thresholds] or [ignore]", "“[thresholds]”或“[ignore]”"},
    {"settings.no-table", "no table [{section}]", "没有表 [{section}]"},
    {"settings.no-equals", "no '='", "没有“=”"},
    {"settings.before", "a value before any table", "值出现在任何表之前"},
    {"settings.first", "[thresholds] or [ignore] first", "先写“[thresholds]”或“[ignore]”"},
    {"settings.no-number", "'{value}' is no number", "“{value}”不是数字"},
    {"settings.a-number", "a number such as 0.05", "数字，如 0.05"},
    {"settings.no-threshold", "no threshold '{name}'", "没有阈值“{name}”"},
    {"settings.name", "a name", "名字"},
    {"settings.no-rule", "no rule '{name}'", "没有规则“{name}”"},
    {"settings.id", "an id", "规则名"},
    {"settings.no-reason", "'{name}' has no reason", "“{name}”没有写理由"},
    {"settings.reason", "the reason in double quotes", "双引号中的理由"},
});

}  // namespace stepscope
