#pragma once

#include <array>

#include "words/text.h"

// What working on another machine by ssh can say.
namespace stepscope {

inline constexpr std::array kSshTexts = std::to_array<Text>({
    {"ssh.help.profiles", "profiles on another machine", "另一台机器上的数据"},
    {"ssh.help.remote",
     "start the server on HOST by ssh and show its page here; it ends with this command",
     "通过 ssh 在 HOST 上启动服务，在这里显示页面；随本命令一起结束"},
    {"ssh.help.programs", "programs on another machine", "另一台机器上的程序"},
    {"ssh.help.via",
     "run the capture on HOST by ssh and bring the profile here; pid:N is a process there",
     "通过 ssh 在 HOST 上采集并把数据取回这里；pid:N 指那台机器上的进程"},
    {"ssh.help.ssh", "the ssh to use, with its options (default ssh)",
     "要用的 ssh 及其选项（默认 ssh）"},
    {"ssh.help.program", "stepscope on that machine (default stepscope)",
     "那台机器上的 stepscope（默认 stepscope）"},
    {"ssh.help.end-with-stdin", "end with standard input, as with Ctrl-C",
     "标准输入结束时也结束，如同 Ctrl-C"},
    {"ssh.no-place", "'{text}' is no place for ssh: {why}", "“{text}”不是 ssh 的位置：{why}"},
    {"ssh.write-url", "write it like ssh://host/path or ssh://user@host:22/~/runs",
     "写法如 ssh://host/path 或 ssh://user@host:22/~/runs"},
    {"ssh.write-host", "write it like ssh:host or ssh:user@host:2222",
     "写法如 ssh:host 或 ssh:user@host:2222"},
    {"ssh.begins", "it does not begin with {scheme}", "它不以 {scheme} 开头"},
    {"ssh.path-missing", "the path is missing", "缺少路径"},
    {"ssh.host-missing", "the host is missing", "缺少主机名"},
    {"ssh.no-port", "'{digits}' is no port", "“{digits}”不是端口"},
    {"ssh.no-host", "'{host}' is no host", "“{host}”不是主机名"},
    {"ssh.no-pipe", "cannot make a pipe: {reason}", "无法创建管道：{reason}"},
    {"ssh.cannot-run", "cannot run {program}: {reason}", "无法运行 {program}：{reason}"},
    {"ssh.install", "install an ssh client, or name yours with --ssh",
     "请安装 ssh 客户端，或用 --ssh 指定"},
    {"ssh.install-tar", "install tar on this machine", "请在这台机器上安装 tar"},
    {"ssh.no-program", "{host} has no program {program}", "{host} 上没有程序 {program}"},
    {"ssh.install-there", "install Stepscope there, or say where it is with --remote-program PATH",
     "请在那里安装 Stepscope，或用 --remote-program PATH 指定位置"},
    {"ssh.not-reached", "ssh did not reach {host}", "ssh 无法连到 {host}"},
    {"ssh.try", "try ssh {host} true; what it needs goes into ~/.ssh/config or --ssh",
     "请先试 ssh {host} true；它需要的设置写到 ~/.ssh/config 或 --ssh"},
    {"ssh.ended-with", "stepscope on {host} ended with exit code {code}",
     "{host} 上的 stepscope 以退出码 {code} 结束"},
    {"ssh.message-above", "its message is above", "它的消息见上"},
    {"ssh.connection-ended", "the connection to {host} ended", "与 {host} 的连接断开了"},
    {"ssh.run-again", "run the command again", "请重新运行命令"},
    {"ssh.path-beside", "--remote names what to show, so PATH has no place beside it",
     "--remote 已说明要显示什么，不能再给 PATH"},
    {"ssh.leave-path", "leave PATH out", "请去掉 PATH"},
    {"ssh.interrupted", "interrupted before anything was recorded", "在记录到数据之前被中断"},
    {"ssh.not-unpacked", "the profile could not be unpacked here", "采集数据无法在这里解包"},
    {"ssh.make-room", "check that the disk has room, or choose another place: --out",
     "请检查磁盘空间，或用 --out 换一个位置"},
    {"ssh.no-profile", "no profile came from {host}", "没有从 {host} 收到采集数据"},
    {"ssh.watch-there", "--watch does not go with --via", "--watch 不能和 --via 一起用"},
    {"ssh.watch-forward", "forward the port instead: ssh -L 9012:localhost:9012 HOST",
     "请改用端口转发：ssh -L 9012:localhost:9012 HOST"},
});

}  // namespace stepscope
