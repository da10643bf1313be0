#pragma once

#include <string_view>

#include "advise/given.h"

namespace stepscope {

// The lines of a job's log that rules know.
LogFacts ReadLogFacts(std::string_view text);

}  // namespace stepscope
