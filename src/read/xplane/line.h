#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "read/xplane/space_bytes.h"

namespace stepscope::xplane {

// A run of whole XEvents of a line: what one task reads.
struct Chunk {
  std::string_view bytes;  // of SpaceBytes::all(): to be loaded
  uint64_t events = 0;
  uint64_t spans = 0;  // events but those with one of the ids that the scan was told
};

// An XLine cut into chunks. Finding the borders reads the length of each event, about 2 ns.
struct Line {
  int64_t id = 0;
  std::string name;
  int64_t timestamp_ns = 0;
  std::vector<Chunk> chunks;  // one at least

  uint64_t events() const {
    uint64_t sum = 0;
    for (const Chunk& chunk : chunks) sum += chunk.events;
    return sum;
  }
};

inline constexpr uint64_t kEventsPerChunk = uint64_t{1} << 16;
inline constexpr size_t kBytesPerChunk = size_t{2} << 20;  // or one event

// `no_spans`: ids of events that are something else.
Line ScanLine(std::string_view bytes, const SpaceBytes& file, std::span<const uint64_t> no_spans,
              Diagnostics& diagnostics);

}  // namespace stepscope::xplane
