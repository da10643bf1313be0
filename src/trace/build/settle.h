#pragma once

#include <cstdint>
#include <span>

#include "base/task_pool.h"
#include "trace/build/halves.h"
#include "trace/build/join.h"
#include "trace/build/place.h"
#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// Closes the gaps between spans that a reader has put into the slices itself. Costs nothing if
// there are none.
void CloseGaps(std::span<EventBlock> blocks, Slices& slices);

// Whether these spans can stay there: the spans of each row of the timeline must be contiguous.
bool CanStay(std::span<const EventBlock> blocks, const Joined& joined);

// Moves spans that cannot stay to the columns of their blocks.
void MoveToBlocks(std::span<EventBlock> blocks, Slices& slices);

// Turns the numbers of the blocks into those of the file and orders and nests the spans where they
// are. As PlaceSpans and CopySpans, without a copy.
PlacedSpans SettleSpans(std::span<EventBlock> blocks, Joined& joined,
                        std::span<const ArgsBases> bases, int64_t origin, Slices& slices,
                        TaskPool& pool);

}  // namespace stepscope
