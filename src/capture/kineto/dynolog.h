#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

// dynolog's own port for requests.
inline constexpr int kDynologPort = 1778;

// Whether a dynolog answers there.
bool DynologAnswers(int port = kDynologPort);

// Has dynolog hand the config to these processes (empty: all). The processes that get it.
Result<std::vector<int>> AskDynolog(const std::string& config, const std::vector<int>& pids,
                                    int64_t job, int port = kDynologPort);

}  // namespace stepscope
