#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/ssh_place.h"

namespace stepscope {

// A page whose profiles and server are on another machine.
struct RemotePage {
  SshPlace place;
  SshProgram program;
  int port = 0;                                        // here; 0: a free one
  std::vector<std::string> words;                      // options for the server there
  void (*open)(const std::string& address) = nullptr;  // called with the address; may be none
};

// Prints the address, which works here, and serves it until Ctrl-C.
Result<void> ServeRemote(const RemotePage& page);

}  // namespace stepscope
