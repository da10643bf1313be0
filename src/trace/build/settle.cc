#include "trace/build/settle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace/build/row_placer.h"

namespace stepscope {
namespace {

// The row of the timeline on which a block has its spans.
uint32_t RowOf(const Joined& joined, size_t block) { return joined.maps[block].rows[0]; }

void Rebase(const EventBlock& block, const BlockMaps& maps, const ArgsBases& bases, int64_t origin,
            Slices& slices) {
  for (uint32_t row = block.placed.first; row < block.placed.last; ++row) {
    slices.start[row].ns -= origin;
    slices.name[row] = maps.strings[Index(slices.name[row])];
    slices.event[row] += maps.first_event;
    if (slices.args[row] != kNoRow) slices.args[row] += bases.Of(slices.kind[row]);
  }
}

template <typename T>
void MoveDown(std::vector<T>& column, RowRange from, uint32_t to) {
  std::copy(column.begin() + from.first, column.begin() + from.last, column.begin() + to);
}

}  // namespace

void CloseGaps(std::span<EventBlock> blocks, Slices& slices) {
  uint32_t to = 0;
  for (EventBlock& block : blocks) {
    const RowRange from = block.placed;
    block.placed = {to, to + from.size()};
    to += from.size();
    if (from.empty() || from.first == block.placed.first) continue;
    MoveDown(slices.start, from, block.placed.first);
    MoveDown(slices.duration, from, block.placed.first);
    MoveDown(slices.name, from, block.placed.first);
    MoveDown(slices.args, from, block.placed.first);
    MoveDown(slices.event, from, block.placed.first);
    MoveDown(slices.kind, from, block.placed.first);
    MoveDown(slices.flags, from, block.placed.first);
  }
  if (to == slices.size()) return;
  slices.start.resize(to);
  slices.duration.resize(to);
  slices.name.resize(to);
  slices.args.resize(to);
  slices.event.resize(to);
  slices.kind.resize(to);
  slices.flags.resize(to);
}

bool CanStay(std::span<const EventBlock> blocks, const Joined& joined) {
  std::vector<bool> seen(joined.rows.size(), false);
  uint32_t last_row = kNoRow;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (!blocks[b].start.empty() || !blocks[b].halves.empty()) return false;
    if (blocks[b].placed.empty()) continue;
    const uint32_t row = RowOf(joined, b);
    if (row != last_row && seen[row]) return false;
    seen[row] = true;
    last_row = row;
  }
  return true;
}

void MoveToBlocks(std::span<EventBlock> blocks, Slices& slices) {
  for (EventBlock& block : blocks) {
    const RowRange from = std::exchange(block.placed, {});
    for (uint32_t row = from.first; row < from.last; ++row) {
      block.start.push_back(slices.start[row].ns);
      block.duration.push_back(slices.duration[row].ns);
      block.name.push_back(slices.name[row]);
      block.track.push_back(0);
      block.event.push_back(slices.event[row]);
      block.args.push_back(slices.args[row]);
      block.kind.push_back(slices.kind[row]);
      block.flags.push_back(slices.flags[row]);
    }
  }
  slices = {};
}

PlacedSpans SettleSpans(std::span<EventBlock> blocks, Joined& joined,
                        std::span<const ArgsBases> bases, int64_t origin, Slices& slices,
                        TaskPool& pool) {
  // The place of rows without spans (only allocations, say) does not matter; the others are in the
  // order of their blocks.
  const size_t row_count = joined.rows.size();
  std::vector<RowRange> range(row_count);
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].placed.empty()) continue;
    RowRange& of_row = range[RowOf(joined, b)];
    if (of_row.empty()) of_row.first = blocks[b].placed.first;
    of_row.last = blocks[b].placed.last;
  }
  for (uint32_t end = 0; RowRange & of_row : range) {
    if (of_row.empty()) of_row = {end, end};
    end = of_row.last;
  }
  pool.ForEach(blocks.size(),
               [&](size_t b) { Rebase(blocks[b], joined.maps[b], bases[b], origin, slices); });

  pool.ForEach(2, [&](size_t column) {
    column == 0 ? slices.parent.resize(slices.size()) : slices.depth.resize(slices.size());
  });
  FirstOfRow sizes(1, 0);
  for (const RowRange& of_row : range) sizes.push_back(sizes.back() + of_row.size());
  const std::vector<uint32_t> by_size = RowsBySize(sizes);
  std::vector<PlacedRow> placed(row_count);
  pool.ForEach(row_count, [&](size_t i) {
    placed[by_size[i]] = PlaceRow(range[by_size[i]], RowColumns::kAll, slices);
  });

  PlacedSpans placement;
  for (size_t row = 0; row < row_count; ++row) {
    joined.rows[row].first_track = static_cast<uint32_t>(placement.tracks.size());
    AddTracks(joined.rows[row].track, placed[row], range[row].first, placement.tracks);
    placement.overlapping += placed[row].overlapping;
  }
  return placement;
}

}  // namespace stepscope
