#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace stepscope {

// One thing that a thread does, as far as finding what repeats is concerned.
struct Action {
  uint32_t name = 0;
  DurationNs pause;  // how long nothing at all happened before it
};

struct Repetition {
  std::vector<uint32_t> borders;  // first action of each round; empty: nothing repeats
  uint32_t end = 0;               // one past the last action of the last round
  double confidence = 0;          // share of a round's actions that the next round has too
};

// Finds the rounds of a loop in what a thread does. O(n log n), a few passes.
//
//   1. The period, in actions: distances at which runs of 1, 4, 16 and 64 actions come back are
//      candidates, and whole fractions of the profile. The smallest for which nearly all actions
//      come back is taken, every name counting the same however often it occurs, so that layers
//      inside of a step do not pass for steps.
//   2. Rounds start at the first action that comes back one period later; each next border is
//   looked
//      for around where it is due, so that actions more or fewer do no harm.
//   3. A period of a handful of actions may be a layer whose names say nothing of the step. If
//   pauses
//      stand out regularly after a multiple of it, that multiple is the period.
//   4. No rounds unless three quarters of all names belong to the loop.
Repetition FindRepetition(std::span<const Action> actions);

}  // namespace stepscope
