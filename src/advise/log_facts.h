#pragma once

#include <string_view>

#include "advise/given.h"

namespace stepscope {

// The lines of a job's log that rules know, or all of a TORCH_TRACE log.
LogFacts ReadLogFacts(std::string_view text);
// Adds those of another log.
void AddLogFacts(std::string_view text, LogFacts& facts);

}  // namespace stepscope
