#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "ranks/matching.h"
#include "ranks/rank_digest.h"

namespace stepscope {

struct RankClock {
  int64_t offset_ns = 0;  // to add to the file's times, at its first event
  int64_t error_ns = 0;
  bool aligned = false;
  double drift = 0;  // more to add for every nanosecond since then
};

struct Clocks {
  std::vector<RankClock> ranks;  // by position; the first is the reference
  uint64_t marks = 0;            // calls that the offsets come from
  bool small_marks = true;       // all of them carry little, so that they end everywhere at once
  bool shared = false;           // all files name one host, and no call contradicts its clock
  uint64_t violations = 0;       // calls that a rank left before another one came

  // A time of the rank's file on the reference's clock, and back.
  int64_t Global(uint32_t p, const RankDigest& rank, TimeNs time) const {
    return rank.epoch_ns + time.ns + ranks[p].offset_ns + Drifted(p, time.ns);
  }
  TimeNs Local(uint32_t p, const RankDigest& rank, int64_t time) const {
    const int64_t local = time - rank.epoch_ns - ranks[p].offset_ns;
    // Beyond the first order the drift of a drift is below a nanosecond an hour.
    return {local - Drifted(p, local - Drifted(p, local))};
  }
  // The call's times on the reference's clock.
  int64_t Start(uint32_t p, const RankDigest& rank, const RankCall& call) const {
    return Global(p, rank, call.start);
  }
  int64_t End(uint32_t p, const RankDigest& rank, const RankCall& call) const {
    return Global(p, rank, call.end);
  }

 private:
  int64_t Drifted(uint32_t p, int64_t time) const {
    return ranks[p].drift == 0 ? 0 : std::llround(ranks[p].drift * static_cast<double>(time));
  }
};

// How far the ranks' clocks are apart. All members leave a small collective at the same time; large
// ones end apart, and only where there are no others do they serve as marks, with a larger error.
// No member can leave before the last one has come, which bounds every offset. Files that name one
// host share its clock unless the calls contradict.
Clocks AlignClocks(std::span<const RankDigest* const> ranks, const Matching& matching);

}  // namespace stepscope
