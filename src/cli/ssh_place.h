#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// A machine that the user reaches by ssh, and a path there.
struct SshPlace {
  std::string host;  // "host", "user@host", or a name of ~/.ssh/config
  int port = 0;      // 0: as ssh is configured
  std::string path;  // "" where the text names none

  bool operator==(const SshPlace&) const = default;
};

// "ssh://user@host:2222/path"; "/~/x" is a path below the user's home there.
Result<SshPlace> ParseSshUrl(std::string_view text);
// "ssh:user@host", "ssh:host:2222".
Result<SshPlace> ParseSshHost(std::string_view text);

// The user's ssh, and what it runs over there.
struct SshProgram {
  std::string ssh = "ssh";            // may hold options: "ssh -J jump"
  std::string program = "stepscope";  // on the other machine
};

// One word for a shell, whatever it holds.
std::string ShellQuoted(std::string_view word);
std::string ShellCommand(std::span<const std::string> words);

// What to run here, so that `command` runs in a shell there. `options` are for ssh.
std::vector<std::string> SshArguments(const SshProgram& program, const SshPlace& place,
                                      const std::vector<std::string>& options,
                                      const std::string& command);

}  // namespace stepscope
