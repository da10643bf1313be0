#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task_pool.h"
#include "trace/build/join.h"
#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// Where each span of the blocks stands in Trace::slices: by track (the lanes of a row one after the
// other), start, longer first, file order.
struct PlacedSpans {
  std::vector<std::vector<uint32_t>> row_of;  // by block, by span: row in Trace::slices
  std::vector<Track> tracks;
  uint64_t overlapping = 0;
};

// Orders and nests: fills start (since `origin`), duration, event, parent and depth of `slices`,
// frees those columns and the track column of the blocks, and sets JoinedRow::first_track. Times
// must be within the limits of limits.h. O(spans log runs), parallel over blocks and over rows.
PlacedSpans PlaceSpans(std::span<EventBlock> blocks, Joined& joined, int64_t origin, Slices& slices,
                       TaskPool& pool);

}  // namespace stepscope
