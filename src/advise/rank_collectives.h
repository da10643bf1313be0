#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "base/time.h"

namespace stepscope {

struct LinkedTrace;

// What rules know of each rank of a job: enough to say who waits for whom, little enough to keep of
// every rank.
struct RankCollectives {
  struct Call {
    TimeNs start;
    DurationNs duration;
    uint32_t event = 0;
  };
  std::optional<int64_t> rank;
  std::vector<Call> calls;      // in used steps, by start
  std::vector<Interval> steps;  // the used ones
};
RankCollectives CollectivesOfRank(const LinkedTrace& linked);

}  // namespace stepscope
