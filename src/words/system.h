#pragma once

#include <array>

#include "words/text.h"

// What the system says about an errno, word for word as strerror has it.
namespace stepscope {

inline constexpr std::array kSystemTexts = std::to_array<Text>({
    {"system.not-permitted", "Operation not permitted", "操作不被允许"},
    {"system.no-such-file", "No such file or directory", "没有这个文件或目录"},
    {"system.input-output", "Input/output error", "输入/输出错误"},
    {"system.permission-denied", "Permission denied", "权限不足"},
    {"system.file-exists", "File exists", "文件已存在"},
    {"system.not-a-directory", "Not a directory", "不是目录"},
    {"system.is-a-directory", "Is a directory", "是一个目录"},
    {"system.too-many-open-files", "Too many open files", "打开的文件过多"},
    {"system.no-space", "No space left on device", "磁盘空间不足"},
    {"system.read-only", "Read-only file system", "文件系统只读"},
    {"system.address-in-use", "Address already in use", "地址已被占用"},
});

}  // namespace stepscope
