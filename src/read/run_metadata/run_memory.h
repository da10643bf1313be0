#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "read/run_metadata/run_metadata_proto.h"
#include "trace/event_block.h"

namespace stepscope {

// An op row as it was stored: when it ran and under which name.
struct StoredOp {
  const NodeExecStats* stats = nullptr;
  int64_t start = 0;
  int64_t end = 0;
  StringId name = kEmptyString;
  uint32_t track = 0;
  uint32_t event = 0;
};

// Adds what the run's ops allocated and freed, per allocator:
//   - the allocator's own records where it keeps them (GPUs);
//   - else the bytes an op held while it ran, and its outputs until the last op that takes them as
//     input has ended. Two outputs at one address are one buffer. Constants and variables stay.
// Bytes in use as the allocator gives them become a counter.
void AddRunMemory(const std::vector<StoredOp>& ops, EventBlock& block);

}  // namespace stepscope
