#pragma once

namespace stepscope {

// The whole program: finds the verb, runs it, returns the exit code. 0 fine, 1 cannot read, 2
// usage, 3 a gate failed.
int RunProgram(int argc, char** argv);

}  // namespace stepscope
