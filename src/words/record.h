#pragma once

#include <array>

#include "words/text.h"

// What recording a program can say.
namespace stepscope {

inline constexpr std::array kRecordTexts = std::to_array<Text>({
    {"record.no-pipe", "cannot make a pipe: {reason}", "无法创建管道：{reason}"},
    {"record.cannot-run", "cannot run the program: {reason}", "无法运行程序：{reason}"},
    {"record.cannot-make", "cannot make the directory: {reason}", "无法创建目录：{reason}"},
    {"record.check-program", "check the name after --; the shell's built-ins are no programs",
     "请检查 -- 之后的名字；shell 内建命令不是程序"},
    {"record.no-temporary", "cannot make a temporary folder: {reason}",
     "无法创建临时目录：{reason}"},
    {"record.set-tmpdir", "set TMPDIR to a folder that can be written",
     "请把 TMPDIR 设为可写的目录"},
    {"record.cannot-write-hook", "cannot write the hook", "无法写入 hook"},
    {"record.not-empty", "the directory of --out is not empty", "--out 指定的目录不是空的"},
    {"record.new-directory", "give a new one; recordings are never overwritten",
     "请给一个新目录；录制从不覆盖已有内容"},
    {"record.writable", "give --out a place that can be written", "请把 --out 指到可写的位置"},
    {"record.nowhere", "neither this directory nor the temporary one can be written",
     "当前目录和临时目录都不可写"},
});

}  // namespace stepscope
