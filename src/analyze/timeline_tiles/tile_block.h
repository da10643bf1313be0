#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyze/timeline_tiles/timeline.h"

namespace stepscope {

// Tiles are 1,024 buckets of 2^shift ns wide and aligned to multiples of that, so that two requests
// for the same place ask for the same tile.
inline constexpr int kTileBucketsLog2 = 10;
inline constexpr int kMaxTileShift = 50;

struct TileRequest {
  std::span<const uint32_t> lines;  // into Timeline::lines()
  int shift = 0;
  int64_t first_tile = 0;
  int64_t last_tile = 0;   // inclusive
  bool all_names = false;  // of single spans, too, that are too short for a label
};

// The tiles as binary column blocks, one per line and tile, then the names of all items long enough
// to carry a label. Layout byte by byte: docs/serve.md.
std::string EncodeTiles(const Timeline& timeline, const TileRequest& request);

}  // namespace stepscope
