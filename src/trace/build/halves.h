#pragma once

#include <cstdint>
#include <span>

#include "base/diagnostics.h"
#include "trace/build/join.h"
#include "trace/event_block.h"

namespace stepscope {

// Where the rows of a block's args tables start in the file's tables.
struct ArgsBases {
  uint32_t op = 0;
  uint32_t call = 0;
  uint32_t device = 0;
  uint32_t frame = 0;
  uint32_t collective = 0;

  uint32_t Of(Kind kind) const;
};

// Matches begins with ends, per row in time order, and returns them as one more block of spans
// whose strings, tracks (rows), args and events are already those of the whole file.
//   - An end closes the innermost open begin, or the innermost of its name when it has one; on a
//     thread, begins left open inside it end there too, unfinished; asynchronous ones may cross.
//   - A begin without an end lasts to the last time of its row, unfinished.
//   - An end without a begin is counted as diagnosed.
// Frees the blocks' halves. O(n log n) in the halves.
EventBlock MatchHalves(std::span<EventBlock> blocks, const Joined& joined,
                       std::span<const ArgsBases> bases, Diagnostics& diagnostics);

}  // namespace stepscope
