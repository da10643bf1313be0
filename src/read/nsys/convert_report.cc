#include "read/nsys/convert_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "words/read.h"

extern char** environ;

namespace stepscope::nsys {
namespace {

constexpr SayFrom<kReadTexts> Say;

namespace fs = std::filesystem;

enum class Ended { kGood, kFailed, kStopped };

// Its output would mix with ours; what it made tells whether it worked.
Ended Run(const std::string& program, const std::string& report, const std::string& output,
          const OpenOptions& options) {
  std::array<const char*, 9> arguments = {program.c_str(), "export",       "--type",
                                          "sqlite",        "--lazy=false", "-o",
                                          output.c_str(),  report.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int fault = posix_spawn(&child, program.c_str(), &actions, nullptr,
                                const_cast<char* const*>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return Ended::kFailed;
  bool stopped = false;
  while (true) {
    int status = 0;
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) {
      if (stopped) return Ended::kStopped;
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ended::kGood : Ended::kFailed;
    }
    if (done < 0 && errno != EINTR) return Ended::kFailed;
    if (options.stop.stop_requested() && !std::exchange(stopped, true)) kill(child, SIGTERM);
    // nsys does not say how far it is.
    if (options.progress) options.progress(0, "converting with nsys");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Error OnlyNsysReads(const std::string& report) {
  return {ErrorCode::kUnsupported, Say("read.nsys-report"), report, std::nullopt,
          Say("read.run-export", ExportCommand(report), ExportOf(report))};
}

}  // namespace

std::string ExportOf(const std::string& report) {
  return fs::path(report).replace_extension(".sqlite").string();
}

std::string ExportCommand(const std::string& report) {
  return fmt::format("nsys export --type sqlite --lazy=false {}", report);
}

std::optional<std::string> FindNsys() {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? std::string_view() : path;
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view folder = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    // A relative folder would run whatever lies beside the profile.
    if (!folder.starts_with('/')) continue;
    const std::string program = fmt::format("{}/nsys", folder);
    std::error_code error;
    if (fs::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

std::optional<Error> ConvertReport(const std::string& report, const OpenOptions& options) {
  const std::optional<std::string> nsys = FindNsys();
  const std::string exported = ExportOf(report);
  if (!nsys || !options.ask ||
      !options.ask(Say("read.ask-nsys", fs::path(report).filename().string(),
                       fs::path(exported).filename().string()))) {
    return OnlyNsysReads(report);
  }
  const std::string unfinished = fmt::format("{}.{}.sqlite", exported, getpid());
  const Ended ended = Run(*nsys, report, unfinished, options);
  std::error_code error;
  if (ended == Ended::kGood) fs::rename(unfinished, exported, error);
  if (ended == Ended::kGood && !error) return std::nullopt;
  fs::remove(unfinished, error);
  if (ended == Ended::kStopped) return Interrupted(report);
  return Error{ErrorCode::kCannotRead, Say("read.nsys-failed"), report, std::nullopt,
               Say("read.nsys-why", ExportCommand(report))};
}

}  // namespace stepscope::nsys
