#pragma once

#include <string_view>

#include "read/xplane/line.h"
#include "read/xplane/plane_context.h"
#include "trace/event_block.h"

namespace stepscope::xplane {

// Reads one chunk of a line: spans to the slices from row `row` on, of which there are chunk.spans
// at most, and all else into a block. `first` also names the track. Chunks of one file can be read
// in any order and on any thread.
EventBlock DecodeChunk(const PlaneContext& context, const Line& line, const Chunk& chunk,
                       std::string_view file, bool first, uint32_t row, Slices& slices);

}  // namespace stepscope::xplane
