#pragma once

#include <span>

#include "ranks/job.h"

namespace stepscope {

// Own time of each rank in each step that all of them used, by step and position; fills
// job.lateness. Steps are the same by their number where programs number them, else by their order.
void FindOwnTimes(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job);

// Who is late, and why. A rank is a straggler when in most steps it needs longer than the others by
// more than its own times scatter, and comes last to most calls. Fills straggler, slow_steps and
// the ranks' z. Needs lateness and the ranks' rows.
void FindStraggler(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job);

// The causes' part of it: compares the rank with the others.
void FindCause(std::span<const RankDigest* const> ranks, Straggler& straggler);

}  // namespace stepscope
