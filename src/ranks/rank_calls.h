#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "link/linked_trace.h"
#include "ranks/rank_digest.h"

namespace stepscope {

// Fills groups, signatures and calls: kernels of the device that communicate, or spans of gloo and
// MPI where the host does it. Spans called nccl: only hand work to the device and are no calls.
void AddCalls(const LinkedTrace& linked, int32_t device, RankDigest& digest);

// The groups that the file declares (distributedInfo.pg_config).
std::vector<RankGroup> DeclaredGroups(const RunFacts& facts);

// "[[2,3],[4]]" has 10 elements; -1 where there is no number at all.
int64_t ElementsOf(std::string_view dims);

}  // namespace stepscope
