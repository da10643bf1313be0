#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace stepscope {

// Rounds of a loop, by the compiled functions that it calls.
struct CallRounds {
  std::vector<uint32_t> first;  // the first call of each round; empty: no loop
  uint32_t end = 0;             // behind the last call of the last round
  double alike = 0;             // share of rounds that call the same
};

// A round begins with each call of one function, the anchor: the one that is called most often
// among those between whose calls mostly the same is called. A function called several times in the
// same round is none. Calls of a few (one that is logged every tenth round, say) do not make a
// round of ten. Micro-batches that are gathered (the same call several times, then one that is
// named like an update) do make one. Three rounds at least. O(calls × names).
CallRounds FindCallRounds(std::span<const std::string_view> calls);

}  // namespace stepscope
