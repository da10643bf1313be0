#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/task_pool.h"
#include "trace/trace.h"

namespace stepscope {

enum class LinkMethod : uint8_t { kNone, kCorrelation, kFlow, kExternalId };

// What files leave implicit: which call launched which device work, which op owns a call, what a
// backward op answers to.
struct Links {
  // By row of Trace::device_args: the kCall slice that launched it, or kNoSlice.
  std::vector<SliceId> launch_of;
  std::vector<LinkMethod> method_of;
  // By row of Trace::call_args: the innermost framework op on the same thread (any lane) that
  // contains the call's start.
  std::vector<SliceId> op_of_call;
  // By row of Trace::device_args: the op that owns the launch (op_of_call of launch_of), or,
  // without a launch, the op with the same external id; kNoSlice if there is none.
  std::vector<SliceId> op_of;
  // Device rows ordered by launching slice then start: the inverse of launch_of. calls[i] launched
  // device_rows[first[i] .. first[i+1]).
  std::vector<SliceId> calls;
  std::vector<uint32_t> first;
  std::vector<uint32_t> device_rows;
  // (forward op, backward op).
  std::vector<std::pair<SliceId, SliceId>> forward_backward;

  uint64_t device_events = 0;
  uint64_t linked_by_correlation = 0;  // `links.linked` of the contract
};

Links FindLinks(const Trace& trace, TaskPool& pool);

// The innermost slice of one of the wanted kinds on the track's thread (all its lanes) that
// contains the time, or kNoSlice. O(log n + depth).
SliceId InnermostAt(const Trace& trace, TrackId track, TimeNs time, bool (*wanted)(Kind));

}  // namespace stepscope
