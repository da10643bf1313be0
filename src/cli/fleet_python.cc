#include "cli/fleet_python.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "command/errors.h"
#include "words/fleet.h"

namespace stepscope {
namespace {

constexpr SayFrom<kFleetTexts> Say;

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// -1: it could not be started.
int ExitCodeOf(std::vector<std::string> command) {
  pid_t pid = 0;
  if (posix_spawnp(&pid, command[0].c_str(), nullptr, nullptr, Pointers(command).data(), environ) !=
      0) {
    return -1;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The interpreter that has the package; its wheel's program names the one it stands in.
std::string Interpreter() {
  // Read before any thread is started.
  const char* named = std::getenv("STEPSCOPE_PYTHON");  // NOLINT(concurrency-mt-unsafe)
  return named != nullptr && *named != '\0' ? named : "python3";
}

}  // namespace

int AskPython(std::string_view question, std::span<char*> arguments) {
  const std::string python = Interpreter();
  constexpr std::string_view kLook =
      "import sys, importlib.util as u\n"
      "sys.exit(0 if u.find_spec('stepscope') and u.find_spec('stepscope.fleet') else 3)";
  const int found = ExitCodeOf({python, "-c", std::string(kLook)});
  if (found != 0) {
    const std::string verb = "fleet " + std::string(question);
    const bool started = found > 0;
    return PrintError(verb, {.code = ErrorCode::kUnsupported,
                             .sentence = started ? Say("fleet.no-package", python)
                                                 : Say("fleet.no-python", python),
                             .file = {},
                             .offset = {},
                             .next_step = Say("fleet.install")});
  }
  std::vector<std::string> command{python, "-m", "stepscope.fleet", std::string(question)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  execvp(python.c_str(), Pointers(command).data());
  return PrintError("fleet", {.code = ErrorCode::kCannotRead,
                              .sentence = Say("fleet.no-python", python),
                              .file = {},
                              .offset = {},
                              .next_step = Say("fleet.check-python")});
}

}  // namespace stepscope
