#pragma once

#include <array>

#include "words/text.h"

// What reading and writing of files can say.
namespace stepscope {

inline constexpr std::array kIoTexts = std::to_array<Text>({
    {"io.stopped", "Reading was stopped.", "读取已停止。"},
    {"io.interrupted", "Reading was interrupted.", "读取被中断。"},
    {"io.cannot-read", "Cannot read: {reason}", "无法读取：{reason}"},
    {"io.cannot-open", "Cannot open: {reason}", "无法打开：{reason}"},
    {"io.check-path", "Check the path.", "请检查路径。"},
    {"io.is-directory", "This is a directory, not a file.", "这是目录，不是文件。"},
    {"io.read-once", "Standard input cannot be read a second time.", "标准输入不能读第二遍。"},
    {"io.too-large", "The content is larger than the {limit:int} MiB this kind of file may have.",
     "内容超过这类文件允许的 {limit} MiB。"},
    {"io.meant", "Check that this is the file you meant; record a shorter profile.",
     "请确认是不是这个文件；或录制更短的一段。"},
    {"io.cannot-write", "Cannot write: {reason}", "无法写入：{reason}"},
    {"io.cannot-finish", "Cannot finish: {reason}", "无法写完：{reason}"},
    {"io.cannot-create", "Cannot create the file: {reason}", "无法创建文件：{reason}"},
    {"io.write-failed", "the write failed", "写入失败"},
    {"io.check-folder", "check the folder, its permissions and the free space",
     "请检查目录、权限和剩余空间"},
    {"io.gzip-failed", "gzip compression failed", "gzip 压缩失败"},
    {"io.checksum", "The checksum of the compressed data is wrong: some bytes may have changed.",
     "压缩数据的校验和不对：可能有字节被改动。"},
    {"io.damaged", "The compressed data is damaged.", "压缩数据已损坏。"},
    {"io.damaged-why", "The compressed data is damaged: {why}.", "压缩数据已损坏：{why}。"},
    {"io.ends-in-middle", "The compressed data ends in the middle.", "压缩数据在中途结束。"},
    {"io.copy-again", "Copy or record the file again; what came before the fault is shown.",
     "请重新拷贝或录制；下面显示损坏之前的内容。"},
    {"io.sqlite-damaged", "The SQLite database is damaged.", "SQLite 数据库已损坏。"},
    {"io.sqlite-unread", "The SQLite database cannot be read: {why}.",
     "无法读取 SQLite 数据库：{why}。"},
    {"io.sqlite-tables", "The SQLite database has too many tables.", "SQLite 数据库的表太多。"},
    {"io.export-again", "Export or copy the file again.", "请重新导出或拷贝该文件。"},
    {"io.record-length", "the length of the record does not match its CRC",
     "记录的长度与 CRC 不符"},
    {"io.record-data", "the data of the record does not match its CRC", "记录的数据与 CRC 不符"},
    {"io.record-too-long", "the record claims to be longer than the rest of the file",
     "记录声称的长度超过文件剩余部分"},
    {"io.record-compressed", "the compressed data is damaged", "压缩数据已损坏"},
    {"io.cannot-open-writing", "Cannot open it for writing: {reason}",
     "无法以写方式打开：{reason}"},
    {"io.cannot-replace", "Cannot replace it: {reason}", "无法替换：{reason}"},
    {"io.cannot-make", "Cannot make a directory: {reason}", "无法创建目录：{reason}"},
    {"io.cannot-name", "Cannot name the directory: {reason}", "无法命名目录：{reason}"},
    {"io.exists", "The file exists already", "文件已存在"},
    {"io.other-name", "Choose another name, or give --force.", "请换一个名字，或加 --force。"},
    {"io.own-input", "This file was read as input; it would be lost if the output replaced it",
     "这个文件是输入；用输出替换它就会丢失"},
    {"io.other-output", "choose another name for the output", "请为输出换一个名字"},
    {"io.changed", "The file changed while it was read.", "读取过程中文件发生了变化。"},
    {"io.read-when-finished", "Read it again when its writer has finished.",
     "请等写入结束后再读。"},
    {"io.window",
     "Decompressing this file takes {window} MiB for its window, more than the memory limit leaves "
     "({limit} MiB in all).",
     "解压这个文件的窗口需要 {window} MiB，超过内存限制（共 {limit} MiB）的剩余。"},
    {"io.raise-limit", "Raise --memory-limit, or compress the file again without --long.",
     "请提高 --memory-limit，或不带 --long 重新压缩。"},
    {"io.said", "{text}", "{text}"},
    {"io.cut-record", "The file ends inside of a record ({n} bytes of it).",
     "文件在一条记录中间结束（该记录有 {n} 字节）。"},
    {"io.pipe-once", "This pipe was read already; it can be read only once.",
     "这个管道已经读过；它只能读一次。"},
    {"io.pipe-to-file", "Write what comes through it into a file.", "请把管道的内容写到文件里。"},
});

}  // namespace stepscope
