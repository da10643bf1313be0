#pragma once

#include <cstdint>
#include <vector>

#include "capture/capture.h"
#include "capture/kineto/config_text.h"
#include "capture/kineto/ranks.h"

namespace stepscope {

struct CollectPlan {
  const KinetoOptions& options;
  const CaptureRequest& request;
  int64_t common_start_ms = 0;  // since 1970; 0: each starts by itself
};

// Waits for the files of the processes that were asked, and brings them here. A process that gives
// none is a failure with its reason. `live` knows what becomes of them; none where dynolog asked
// them.
void CollectFiles(const std::vector<KinetoRank>& ranks, const CollectPlan& plan, KinetoRanks* live,
                  Captured& into);

}  // namespace stepscope
