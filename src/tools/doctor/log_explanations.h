#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/doctor/check.h"

namespace stepscope {

// Lines of a job's log that say something about speed or about profiling.
struct LogExplanation {
  uint64_t first_line = 0;  // from 1
  uint64_t times = 0;
  std::string line;  // the first of them
  CheckStatus status = CheckStatus::kNote;
  Messages means;
  Messages fix;
};

// One entry per kind of message, in the order of first appearance. O(lines × known messages).
std::vector<LogExplanation> ExplainLog(std::string_view log);

}  // namespace stepscope
