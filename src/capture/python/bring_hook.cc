#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "capture/processes/processes.h"
#include "capture/python/hook_connection.h"
#include "record/hook_files.h"
#include "record/python_process.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using std::chrono::milliseconds;

struct PythonVersion {
  int major = 0, minor = 0;
};

PythonVersion VersionOf(std::string_view text) {
  PythonVersion version;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.major);
  if (error == std::errc() && dot != end) std::from_chars(dot + 1, end, version.minor);
  return version;
}

// What the interpreter said last, for people.
std::string LastLine(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return {};
  const size_t before = text.find_last_of('\n', end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

// What it prints on standard error until it ends, and its exit code; 10 s at most.
std::pair<int, std::string> RunAndRead(std::vector<std::string> words) {
  constexpr milliseconds kWithin{10'000};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, {}};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  const auto until = std::chrono::steady_clock::now() + kWithin;
  char bytes[4096];
  while (failed == 0) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{ends[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
      kill(child, SIGKILL);
      break;
    }
    const ssize_t size = read(ends[0], bytes, sizeof bytes);
    if (size <= 0) break;
    said.append(bytes, static_cast<size_t>(size));
  }
  close(ends[0]);
  int status = -1;
  while (failed == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
}

// The program's own user has to be able to read it.
void GiveTo(const std::string& folder, unsigned uid) {
  if (geteuid() != 0 || uid == 0) return;
  (void)!chown(folder.c_str(), uid, static_cast<gid_t>(-1));
}

}  // namespace

Result<void> BringHookInto(int pid) {
  std::optional<PythonProcess> process;
  std::string version;
  if (PythonProcess::Find(pid, process, version) == PythonProcess::Attempt::kNotPython) {
    return Fail(ErrorCode::kCannotRead, Say("capture.not-python", pid), {},
                Say("capture.list-shows"));
  }
  const PythonVersion number = VersionOf(version);
  if (number.major < 3 || (number.major == 3 && number.minor < 14)) {
    return Fail(ErrorCode::kCannotRead, Say("capture.without-hook", pid, version), {},
                Say("capture.start-waiting"));
  }
  Result<HookFolder> folder = HookFolder::Make();
  if (!folder) return std::unexpected(folder.error());
  const std::string script = folder->path() + "/attach.py";
  const std::string hook = folder->path() + "/_stepscope_attach.py";
  {
    // Runs among the names of the program: it leaves none there.
    std::ofstream out(script);
    out << fmt::format(
        "exec(compile(__import__('pathlib').Path('{0}').read_text(), '{0}', 'exec'), "
        "{{'folder': '{1}'}})\n",
        hook, folder->path());
  }
  struct stat owner{};
  if (stat(fmt::format("/proc/{}", pid).c_str(), &owner) == 0) {
    GiveTo(folder->path(), owner.st_uid);
  }
  // Its own interpreter: the protocol is that of one version.
  const auto [code, said] =
      RunAndRead({fmt::format("/proc/{}/exe", pid), "-I", "-S", "-c",
                  "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])",
                  fmt::format("{}", pid), script});
  if (code != 0) {
    return Fail(ErrorCode::kCannotRead, Say("capture.remote-exec-refused", pid, LastLine(said)), {},
                Say("capture.remote-exec-how"));
  }
  constexpr int kLooks = 100;
  constexpr milliseconds kLookEvery{100};
  for (int look = 0; look < kLooks && IsAlive(pid); ++look) {
    if (HookConnection::Open(OwnPid(pid))) return {};
    std::this_thread::sleep_for(kLookEvery);
  }
  return Fail(ErrorCode::kCannotRead, Say("capture.hook-silent", pid), {},
              Say("capture.when-steps"));
}

}  // namespace stepscope
