#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranks/rank_digest.h"

namespace stepscope {

// A group as all ranks of the job know it.
struct JobGroup {
  RankGroup facts;
  std::vector<uint32_t> members;  // positions in the job of the ranks that are present
  bool complete = false;          // no member is missing
};

// One call with all who took part. `calls` are rows of each rank's digest, by position in the job;
// kNoRow where the rank has none.
struct MatchedCall {
  uint32_t group = 0;
  uint32_t signature = 0;  // of Matching::signatures
  std::vector<uint32_t> calls;
};

// Where a rank first does something else than the others of its group.
struct Mismatch {
  uint32_t group = 0;
  uint64_t index = 0;  // of the call in the group's order
  int64_t rank = 0;
  std::string expected, found;  // "allreduce Float 1"; empty: nothing
  std::optional<uint32_t> event;
};

// Sends and receives that belong together are one call of type kSendReceive with two ranks.
struct Matching {
  std::vector<JobGroup> groups;
  std::vector<CallSignature> signatures;  // `group` is one of `groups`
  std::vector<MatchedCall> calls;         // by start on the first rank that has it
  std::vector<Mismatch> mismatches;       // at most one for each group and rank
};

// Finds out which calls of the ranks are one and the same: by the call's id, else by its sequence
// number, else by order, whereby files may begin and end at different calls and may have lost some.
// `ranks` are the job's ranks in ascending order, `numbers` their numbers.
Matching MatchCalls(std::span<const RankDigest* const> ranks, std::span<const int64_t> numbers,
                    int64_t world_size);

// "allreduce Float 1"
std::string InWords(const CallSignature& signature);

}  // namespace stepscope
