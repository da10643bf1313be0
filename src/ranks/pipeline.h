#pragma once

#include <optional>
#include <span>

#include "ranks/job.h"

namespace stepscope {

// Stages that hand work on by send and receive; none where the job has no such calls. The ideal is
// that of GPipe and 1F1B: (p - 1) / (m + p - 1) of the step for p stages and m micro-batches.
// `waits` are the times that each rank waited for another in its calls, of its file; null, or none
// at all, where its sends and receives are not joined: then what is longer than the shortest is
// waiting.
std::optional<Pipeline> FindPipeline(std::span<const RankDigest* const> ranks,
                                     std::span<const IntervalSet* const> waits = {});

}  // namespace stepscope
