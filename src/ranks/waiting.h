#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranks/job.h"

namespace stepscope {

// When the ranks came to one call and left it, on the reference's clock.
struct CallTimes {
  uint32_t present = 0;      // ranks that have it
  bool all_present = false;  // of those whose files are here
  bool complete = false;     // no member of the group is missing
  int64_t first_start = 0, last_start = 0, last_end = 0;
  int64_t shortest = 0;                    // duration on any rank
  uint32_t last = kNoRow, first = kNoRow;  // positions; kNoRow where the clocks cannot tell
};
CallTimes TimesOf(const MatchedCall& call, const Matching& matching, const Clocks& clocks,
                  std::span<const RankDigest* const> ranks);

// Fills collectives and, of the ranks, waits and how often each came last and first; then exposed
// transfer and waiting, and the lateness by step. `waits` gets what each rank waited, as times of
// its own file.
void AnalyzeWaiting(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job,
                    std::vector<IntervalSet>& waits);

}  // namespace stepscope
