#include "cli/ssh_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "words/ssh.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSshTexts> Say;

void CloseOnce(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

Result<SshProcess> SshProcess::Start(const std::vector<std::string>& arguments) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    const int error = errno;
    for (int* fd : {&in[0], &in[1]}) CloseOnce(*fd);
    return Fail(ErrorCode::kCannotRead, Say("ssh.no-pipe", SystemReason(error)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  CloseOnce(in[0]);
  CloseOnce(out[1]);
  if (error != 0) {
    CloseOnce(in[1]);
    CloseOnce(out[0]);
    return Fail(ErrorCode::kCannotRead, Say("ssh.cannot-run", arguments[0], SystemReason(error)),
                {}, Say("ssh.install"));
  }
  return SshProcess(pid, in[1], out[0]);
}

SshProcess::SshProcess(SshProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)) {}

SshProcess::~SshProcess() {
  if (pid_ != 0) (void)Wait();
}

std::string SshProcess::ReadLine() {
  std::string line;
  for (char c = 0;;) {
    const ssize_t got = read(out_, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == '\n') return line;
    line += c;
  }
}

void SshProcess::EndInput() { CloseOnce(in_); }

int SshProcess::Wait() {
  EndInput();
  // Else it would wait for somebody who reads.
  CloseOnce(out_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSshFailed;
}

Error SshError(int code, const std::string& host, const std::string& program) {
  constexpr int kNotExecutable = 126, kNotFound = 127;
  const auto error = [](Sentences sentence, Sentences next) {
    return Error{ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)};
  };
  if (code == kNotFound || code == kNotExecutable) {
    return error(Say("ssh.no-program", host, program), Say("ssh.install-there"));
  }
  if (code == SshProcess::kSshFailed) {
    return error(Say("ssh.not-reached", host), Say("ssh.try", host));
  }
  return error(Say("ssh.ended-with", host, code), Say("ssh.message-above"));
}

}  // namespace stepscope
