#pragma once

#include "cli/ssh_place.h"
#include "command/options.h"

namespace stepscope {

// --ssh, --remote-program and --end-with-stdin.
void AddSshOptions(OptionParser& parser, SshProgram* program, bool* end_with_stdin);

}  // namespace stepscope
