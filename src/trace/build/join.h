#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// One row of the timeline before lanes: everything in the blocks under one process and thread or
// asynchronous scope. Streams and threads with the same numbers are different rows.
struct JoinedRow {
  Track track;
  uint32_t first_track = 0;  // its lane 0 in the final Trace::tracks; set when lanes are known
};

// Block-local numbers to those of the whole file.
struct BlockMaps {
  std::vector<StringId> strings;  // by the block's StringId
  std::vector<uint32_t> rows;     // by the block's track number
  uint32_t first_event = 0;       // ordinal of the block's first entry
};

// What the blocks of a file share: strings, processes and rows, in order of first appearance.
struct Joined {
  StringTable strings;
  std::vector<Process> processes;
  std::vector<JoinedRow> rows;
  std::vector<BlockMaps> maps;  // by block
};

// Serial: O(distinct strings + tracks) of each block. Frees the blocks' string tables and metadata.
Joined JoinBlocks(std::span<EventBlock> blocks);

}  // namespace stepscope
