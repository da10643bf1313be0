#pragma once

#include <optional>
#include <span>

#include "ranks/matching.h"
#include "ranks/rank_digest.h"

namespace stepscope {

// What the job would gain in all if the rank needed as long from each call to the next as the
// median of the others: its calls replayed, each rank as recorded, leaving when the last has come.
// None where too few calls have all ranks in them. Needs no clocks.
std::optional<DurationNs> ReplayWithout(std::span<const RankDigest* const> ranks,
                                        const Matching& matching, uint32_t straggler);

}  // namespace stepscope
