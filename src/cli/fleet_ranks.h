#pragma once

#include <span>

namespace stepscope {

// `fleet ranks TABLES` is asked of the Python package. It writes the summaries into a file and
// calls `fleet ranks --summaries`.
int RunFleetRanks(std::span<char*> arguments);

}  // namespace stepscope
