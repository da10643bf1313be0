#pragma once

#include <vector>

#include "tools/nan/bad_output.h"

namespace stepscope {

// Which later bad outputs the one at `source` reached: through the edges of its graph, through what
// a function returns, and through the arguments of a loop's condition and body. Indices into `all`,
// in order of execution. O(bad outputs × their inputs).
std::vector<size_t> SpreadOf(const DebugDump& dump, const std::vector<BadOutput>& all,
                             size_t source);

}  // namespace stepscope
