#pragma once

#include <optional>
#include <span>

#include "ranks/job.h"

namespace stepscope {

// Stages that hand work on by send and receive; none where the job has no such calls. The ideal is
// that of GPipe and 1F1B: (p - 1) / (m + p - 1) of the step for p stages and m micro-batches.
std::optional<Pipeline> FindPipeline(std::span<const RankDigest* const> ranks);

}  // namespace stepscope
