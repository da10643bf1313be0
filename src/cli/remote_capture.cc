#include "cli/remote_capture.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "cli/ssh_process.h"
#include "command/output.h"
#include "words/ssh.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSshTexts> Say;

// The profile goes to a folder of its own there, comes as an archive, and leaves nothing behind.
std::string ShellScript(const RemoteCapture& capture) {
  return fmt::format(
      "d=$(mktemp -d) || exit 1; trap 'rm -rf \"$d\"' EXIT; "
      "{} capture --end-with-stdin --no-report --out \"$d/profile\" {} 1>&2; r=$?; "
      "if [ $r -eq 0 ]; then tar -C \"$d/profile\" -cf - . || r=1; fi; exit $r",
      ShellQuoted(capture.program.program), ShellCommand(capture.words));
}

// tar is on every machine that has a shell.
Result<pid_t> StartUnpacking(int archive, const std::string& directory) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, archive, STDIN_FILENO);
  const char* const words[] = {"tar",  "-x", "-f", "-", "--no-same-owner", "-C", directory.c_str(),
                               nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, words[0], &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return Fail(ErrorCode::kCannotRead, Say("ssh.cannot-run", "tar", SystemReason(error)), {},
              Say("ssh.install-tar"));
}

constexpr int kTickMs = 50;

// False where the output ends without any: a capture that failed sends no archive.
bool WaitForBytes(int fd, const std::function<void()>& on_tick) {
  pollfd output{fd, POLLIN, 0};
  while (poll(&output, 1, kTickMs) <= 0) on_tick();
  return (output.revents & POLLIN) != 0;
}

// True once it ended, whatever its exit code.
bool HasEnded(pid_t pid, int& status) {
  const pid_t got = waitpid(pid, &status, WNOHANG);
  return got == pid || (got < 0 && errno != EINTR);
}

Captured FilesIn(const std::string& directory, const std::string& source) {
  Captured captured;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (!entry.is_regular_file(error)) continue;
    captured.files.push_back({.path = entry.path().string(),
                              .source = source,
                              .bytes = entry.file_size(error),
                              .why_empty = {}});
  }
  std::sort(captured.files.begin(), captured.files.end(),
            [](const CapturedFile& a, const CapturedFile& b) { return a.path < b.path; });
  return captured;
}

}  // namespace

Result<Captured> CaptureRemotely(const RemoteCapture& capture, const CaptureRequest& request) {
  Result<SshProcess> ssh =
      SshProcess::Start(SshArguments(capture.program, capture.place, {}, ShellScript(capture)));
  if (!ssh) return std::unexpected(ssh.error());
  bool ended = false;
  const auto wait = [&] {
    if (request.stop.stop_requested() && !ended) {
      ssh->EndInput();
      ended = true;
    }
    request.on_moment({.phase = CapturePhase::kCollecting, .what = capture.place.host});
  };
  int unpacked = 0;
  if (WaitForBytes(ssh->out(), wait)) {
    const Result<pid_t> tar = StartUnpacking(ssh->out(), request.directory);
    if (!tar) return std::unexpected(tar.error());
    while (!HasEnded(*tar, unpacked)) {
      wait();
      usleep(kTickMs * 1000);
    }
  }
  const int code = ssh->Wait();
  constexpr int kInterrupted = 130;
  if (code == kInterrupted) {
    return Fail(ErrorCode::kInterrupted, Say("ssh.interrupted"));
  }
  if (code != 0) {
    return std::unexpected(SshError(code, capture.place.host, capture.program.program));
  }
  if (!WIFEXITED(unpacked) || WEXITSTATUS(unpacked) != 0) {
    return Fail(ErrorCode::kCannotWrite, Say("ssh.not-unpacked"), request.directory,
                Say("ssh.make-room"));
  }
  Captured captured = FilesIn(request.directory, capture.place.host);
  if (!captured.files.empty()) return captured;
  return Fail(ErrorCode::kCannotRead, Say("ssh.no-profile", capture.place.host), {},
              Say("ssh.message-above"));
}

Result<void> ListRemotely(const RemoteCapture& capture) {
  std::vector<std::string> words{capture.program.program, "capture", "--list"};
  words.insert(words.end(), capture.words.begin(), capture.words.end());
  Result<SshProcess> ssh =
      SshProcess::Start(SshArguments(capture.program, capture.place, {}, ShellCommand(words)));
  if (!ssh) return std::unexpected(ssh.error());
  std::string text;
  char block[4096];
  for (ssize_t got = 0; (got = read(ssh->out(), block, sizeof block)) > 0;) {
    text.append(block, static_cast<size_t>(got));
  }
  const int code = ssh->Wait();
  if (code != 0) {
    return std::unexpected(SshError(code, capture.place.host, capture.program.program));
  }
  return WriteOut(text);
}

}  // namespace stepscope
