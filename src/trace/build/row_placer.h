#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/build/nesting.h"
#include "trace/trace.h"

namespace stepscope {

// Spans lie by row and file order in the columns of the slices before each row is sorted in place.
// A span's number in that order is its slot. By row, and one past the end: its first slot.
using FirstOfRow = std::vector<uint32_t>;

// Where the spans of one row of the timeline went.
struct PlacedRow {
  std::vector<uint32_t> rank;  // by slot, both counted from the row's first; empty: where it was
  std::vector<uint32_t> lane_sizes;
  uint64_t overlapping = 0;
};

// The columns that already hold the spans, apart from parent and depth, which placing fills.
enum class RowColumns : uint8_t {
  kTimes,  // start, duration, event; the others follow `rank`
  kAll     // all: moved along, so that `rank` stays empty
};

// Sorts one row by (start, longer first, file order) and nests it in its part of `slices`.
PlacedRow PlaceRow(RowRange row, RowColumns columns, Slices& slices);

// Largest rows first, so that the longest task does not start last.
std::vector<uint32_t> RowsBySize(const FirstOfRow& first);

// Makes the tracks of a row, one per lane.
void AddTracks(const Track& row, const PlacedRow& placed, uint32_t first,
               std::vector<Track>& tracks);

}  // namespace stepscope
