#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/target.h"

namespace stepscope {

// Asks what the servers are doing now, again and again, until `stop`; each answer is some figures.
Result<void> WatchService(const std::vector<HostPort>& hosts, std::stop_token stop,
                          const std::function<void(const HostPort&, const Messages&)>& on_answer);

}  // namespace stepscope
