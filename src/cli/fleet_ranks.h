#pragma once

#include <span>

namespace stepscope {

// Whether `fleet ranks` was given summaries rather than tables, which the Python package reads.
bool AreSummaries(std::span<char*> arguments);
int RunFleetRanks(std::span<char*> arguments);

}  // namespace stepscope
