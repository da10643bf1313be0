#pragma once

#include <array>

#include "words/text.h"

// What the server behind the page can say.
namespace stepscope {

inline constexpr std::array kServeTexts = std::to_array<Text>({
    {"serve.not-page", "This request does not come from the page of this server.\n",
     "这个请求不是来自本服务的页面。\n"},
    {"serve.get-head-post", "Only GET, HEAD and POST.\n", "只接受 GET、HEAD 和 POST。\n"},
    {"serve.get-head", "Only GET and HEAD.\n", "只接受 GET 和 HEAD。\n"},
    {"serve.no-page", "There is no such page.\n", "没有这个页面。\n"},
    {"serve.needs-token", "The address needs the token that stepscope serve printed.\n",
     "地址里要带 stepscope serve 打印的 token。\n"},
    {"serve.gzip-only", "The page is only available as gzip.\n", "页面只以 gzip 形式提供。\n"},
    {"serve.wrong-token", "The token is missing or wrong.", "token 缺失或不对。"},
    {"serve.no-question", "There is no such question.", "没有这个接口。"},
    {"serve.no-profile", "There is no such profile.", "没有这份性能数据。"},
    {"serve.only-post", "Only POST.", "只接受 POST。"},
    {"serve.only-get", "Only GET.", "只接受 GET。"},
    {"serve.not-read", "The profile is not read yet.", "性能数据还没有读完。"},
    {"serve.no-trace", "There is no such trace.", "没有这个 trace。"},
    {"serve.capture-runs", "A capture runs already.", "已有采集正在进行。"},
    {"serve.writable-folder", "start stepscope serve in a folder that you may write to",
     "请在可写的目录里启动 stepscope serve"},
    {"serve.cannot-make", "{folder}: cannot make the directory: {message}",
     "{folder}：无法创建目录：{message}"},
    {"serve.choose-port", "Choose another with --port, or leave it out to get a free one.",
     "请用 --port 换一个端口，或不指定以使用空闲端口。"},
    {"serve.parameter", "A parameter is missing or out of range.", "参数缺失或超出范围。"},
    {"serve.no-memory", "This device has no memory events.", "这个设备没有内存事件。"},
    {"serve.no-graph", "No file of this profile has the graph.",
     "这份性能数据的文件里没有计算图。"},
    {"serve.and", "{first}; {second}", "{first}；{second}"},
    {"serve.cannot-listen", "Cannot listen on {host} port {port}.",
     "无法监听 {host} 的 {port} 端口。"},
    {"serve.port-taken", "Cannot listen on {host} port {port}: another program does already.",
     "无法监听 {host} 的 {port} 端口：已被其他程序占用。"},
    {"serve.came-by-pipe",
     "This profile came through a pipe, which can be read only once. Start stepscope serve again "
     "with what is to be read.",
     "这份性能数据来自管道，只能读一次。请重新启动 stepscope serve 并给出要读的内容。"},
    {"serve.no-memory-left",
     "There is not enough memory to answer this. Close profiles, or start stepscope serve with a "
     "larger --memory-limit.",
     "内存不足，无法应答。请关闭一些性能数据，或用更大的 --memory-limit 启动 stepscope serve。"},
    {"serve.cannot-log", "Cannot open the log: {reason}", "无法打开日志：{reason}"},
    {"serve.choose-log", "choose another file for --log, or - for standard error",
     "请为 --log 换一个文件，或用 - 写到标准错误"},
    {"serve.by", "by is op, module, kernel, category or line.",
     "by 可取 op、module、kernel、category 或 line。"},
    {"serve.empty-file", "The file is empty.", "文件是空的。"},
    {"serve.no-room", "There is no room for more files here: start stepscope serve with its path.",
     "这里放不下更多文件：请用文件的路径启动 stepscope serve。"},
    {"serve.file-cut", "The file did not arrive whole: send it again.",
     "文件没有完整到达：请重新发送。"},
    {"serve.not-stored", "The file could not be stored: is the disk full?",
     "无法保存文件：磁盘是不是满了？"},
    {"serve.not-enough", "There is not enough memory to read this profile.",
     "内存不足，无法读取这份性能数据。"},
    {"serve.not-enough-limited",
     "There is not enough memory to read this profile ({limit:int} MiB are allowed in all).",
     "内存不足，无法读取这份性能数据（总共允许 {limit} MiB）。"},
    {"serve.close-others",
     "Close other profiles and read it again, or start stepscope serve with a larger "
     "--memory-limit.",
     "请关闭其他性能数据后重新读取，或用更大的 --memory-limit 启动 stepscope serve。"},
});

}  // namespace stepscope
