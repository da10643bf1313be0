#include "ranks/replay.h"

#include <algorithm>
#include <vector>

#include "ranks/statistics.h"

namespace stepscope {
namespace {

bool IsUsed(const RankDigest& rank, const RankCall& call) {
  return call.step != kNoRow && rank.steps[call.step].used;
}

// The call of each rank, if all take part in it, wait for each other and are in a used step.
bool TakeAll(std::span<const RankDigest* const> ranks, const Matching& matching,
             const MatchedCall& call, std::vector<const RankCall*>& into) {
  if (!Synchronises(matching.signatures[call.signature].type)) return false;
  into.clear();
  for (size_t p = 0; p < ranks.size(); ++p) {
    if (call.calls[p] == kNoRow) return false;
    into.push_back(&ranks[p]->calls[call.calls[p]]);
    if (!IsUsed(*ranks[p], *into.back())) return false;
  }
  return true;
}

}  // namespace

std::optional<DurationNs> ReplayWithout(std::span<const RankDigest* const> ranks,
                                        const Matching& matching, uint32_t straggler) {
  std::vector<const RankCall*> call;
  std::vector<TimeNs> left;  // when each rank left the call before
  int64_t gain = 0;
  size_t replayed = 0;
  for (const MatchedCall& matched : matching.calls) {
    if (!TakeAll(ranks, matching, matched, call)) continue;
    // The first one is reached from the start of its step.
    for (size_t p = left.size(); p < ranks.size(); ++p) {
      left.push_back(ranks[p]->steps[call[p]->step].start);
    }
    std::vector<int64_t> needed, others;
    for (size_t p = 0; p < ranks.size(); ++p) {
      needed.push_back(std::max<int64_t>(0, (call[p]->start - left[p]).ns));
      if (p != straggler) others.push_back(needed.back());
    }
    const int64_t slowest = std::ranges::max(needed);
    needed[straggler] = std::min(needed[straggler], Median(std::move(others)));
    gain += slowest - std::ranges::max(needed);
    ++replayed;
    // Calls may overlap on several threads: who is in one that ends later has not left.
    for (size_t p = 0; p < ranks.size(); ++p) left[p] = std::max(left[p], call[p]->end);
  }
  if (replayed == 0) return std::nullopt;
  return DurationNs{gain};
}

}  // namespace stepscope
