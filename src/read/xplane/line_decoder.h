#pragma once

#include <span>
#include <string_view>

#include "read/xplane/line.h"
#include "read/xplane/plane_context.h"
#include "trace/event_block.h"

namespace stepscope::xplane {

// Where the spans of a chunk go.
struct ChunkRows {
  Slices& slices;
  uint32_t first = 0;        // there are chunk.spans at most
  DeviceTable& device_args;  // with room for args of each, where it is a line of device work
  size_t first_device;       // row of it
};

// Whether spans of the line may be device work.
bool HasDeviceWork(const PlaneContext& context, const Line& line);

// Reads one chunk of a line: spans to their rows, and all else into a block. `first` also names the
// track. Chunks of one file can be read in any order and on any thread.
EventBlock DecodeChunk(const PlaneContext& context, const Line& line, const Chunk& chunk,
                       const SpaceBytes& file, bool first, const ChunkRows& rows);

}  // namespace stepscope::xplane
