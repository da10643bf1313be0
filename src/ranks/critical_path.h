#pragma once

#include <span>
#include <vector>

#include "ranks/job.h"

namespace stepscope {

// What the job's time was spent on, walked backwards from the end of the rank that sets the pace:
// where a rank waits inside a collective the path goes on with the rank that came last. Fills
// critical_path and path_time, which it adds up to. O(calls + intervals) for each rank.
void FindCriticalPath(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job);

// Length of the part of the set inside the interval: O(log n) and the intervals inside.
DurationNs OverlapOf(const IntervalSet& set, Interval interval);

}  // namespace stepscope
