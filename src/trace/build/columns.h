#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/task_pool.h"
#include "trace/build/halves.h"
#include "trace/build/join.h"
#include "trace/build/place.h"
#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// Fills name, args, kind and flags of the slices, freeing each block's own as it goes.
void CopySpans(std::span<EventBlock> blocks, const Joined& joined, std::span<const ArgsBases> bases,
               const PlacedSpans& placement, Slices& slices, TaskPool& pool);

// Fills the args tables, flows, instants, counters and allocations; one task per table.
void CopyTables(std::span<EventBlock> blocks, const Joined& joined,
                std::span<const ArgsBases> bases, int64_t origin, Trace& trace, TaskPool& pool);

// Where each block's args start in the tables of the file.
std::vector<ArgsBases> ArgsBasesOf(std::span<const EventBlock> blocks);

}  // namespace stepscope
