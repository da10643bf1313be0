#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope {

// The calls of one rank in one group, in order.
struct CallSequence {
  std::vector<uint32_t> signature;
  std::vector<int64_t> end;   // on the rank's own clock
  std::vector<int64_t> step;  // its number; kNoStep where none is known
  static constexpr int64_t kNoStep = INT64_MIN;

  size_t size() const { return signature.size(); }
};

// Pairs (place in a, place in b) that are the same call, ascending in a. Files may begin and end at
// different calls, and either may lack some: first b is shifted along a by up to `kMostShift` calls
// to where most of them agree in signature and step and their ends differ by the same time; where
// order alone then does not explain all, pairs are those with the nearest ends, on the clocks or
// with the offset between them that explains most. O(kMostShift · n) for n calls.
inline constexpr ptrdiff_t kMostShift = 64;
std::vector<std::pair<uint32_t, uint32_t>> AlignSequences(const CallSequence& a,
                                                          const CallSequence& b);

}  // namespace stepscope
