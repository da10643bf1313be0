#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranks/job.h"

namespace stepscope {

// `members` are places in `digests`, by rank; `numbers` their ranks.
Job AnalyzeJob(std::span<const RankDigest> digests, std::vector<size_t> members,
               std::vector<int64_t> numbers, int64_t world_size);

}  // namespace stepscope
