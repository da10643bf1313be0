#include "cli/verb.h"

namespace stepscope {

int RunReport(std::span<char*> arguments) { return arguments.empty() ? 2 : 0; }

}  // namespace stepscope
