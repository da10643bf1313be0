#include "record/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "words/record.h"
#include "words/system_reason.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace stepscope {
namespace {

constexpr SayFrom<kRecordTexts> Say;

volatile sig_atomic_t child_pid = 0;

// The terminal sends Ctrl-C and Ctrl-\ to the whole group; only what a process sent to us alone is
// passed on.
void PassOn(int signal, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  if (child_pid > 0 && info->si_code != SI_KERNEL) kill(child_pid, signal);
  errno = saved;
}

constexpr std::array kPassedOn{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

using Actions = std::array<struct sigaction, kPassedOn.size()>;

struct sigaction file_size_limit;  // as it was

void Install(Actions& before) {
  struct sigaction action{};
  action.sa_sigaction = PassOn;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kPassedOn.size(); ++i) {
    sigaction(kPassedOn[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(kPassedOn[i], &action, nullptr);
  }
}

void Restore(const Actions& before) {
  for (size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], &before[i], nullptr);
}

std::vector<std::string> Environment(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : variables) replaced |= key == name;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [key, value] : variables) all.push_back(key + '=' + value);
  return all;
}

// Between fork and exec: system calls only.
void RedirectTo(const char* output) {
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(output, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (in >= 0) dup2(in, STDIN_FILENO);
  if (out >= 0) {
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void IgnoreFileSizeLimit() {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &file_size_limit);
}

Result<Child> Child::Start(const std::vector<std::string>& command,
                           const std::vector<std::pair<std::string, std::string>>& variables,
                           const std::string& output, int& exit_code) {
  std::vector<std::string> words = command, entries = Environment(variables);
  std::vector<char*> arguments = Pointers(words), environment = Pointers(entries);
  int failed[2];  // says why exec failed; closed by exec itself
  if (pipe2(failed, O_CLOEXEC) != 0) {
    return Fail(ErrorCode::kCannotRead, Say("record.no-pipe", SystemReason(errno)));
  }
  Actions before;
  Install(before);
  const pid_t pid = fork();
  if (pid == 0) {
    Restore(before);
    sigaction(SIGXFSZ, &file_size_limit, nullptr);
    if (!output.empty()) RedirectTo(output.c_str());
    execvpe(arguments[0], arguments.data(), environment.data());
    const int why = errno;
    (void)!write(failed[1], &why, sizeof why);
    _exit(127);
  }
  const int fork_error = errno;
  child_pid = pid;
  close(failed[1]);
  int why = pid < 0 ? fork_error : 0;
  if (pid > 0) {
    while (read(failed[0], &why, sizeof why) < 0 && errno == EINTR) {
    }
  }
  close(failed[0]);
  if (why != 0) {
    if (pid > 0) waitpid(pid, nullptr, 0);
    child_pid = 0;
    Restore(before);
    exit_code = why == ENOENT ? 127 : 126;
    return Fail(ErrorCode::kCannotRead, Say("record.cannot-run", SystemReason(why)), command[0],
                Say("record.check-program"));
  }
  Child child;
  child.pid_ = pid;
  child.pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  return child;
}

void Child::Send(int signal) const {
  if (!ended_) kill(pid_, signal);
}

bool Child::WaitFor(int milliseconds) {
  if (ended_) return true;
  if (pidfd_ >= 0) {
    pollfd ready{pidfd_, POLLIN, 0};
    poll(&ready, 1, milliseconds);
  } else {
    usleep(static_cast<useconds_t>(milliseconds) * 1000);
  }
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  ended_ = true;
  child_pid = 0;
  if (pidfd_ >= 0) close(pidfd_);
  if (WIFSIGNALED(status)) {
    signal_ = WTERMSIG(status);
  } else {
    exit_code_ = WEXITSTATUS(status);
  }
  return true;
}

}  // namespace stepscope
