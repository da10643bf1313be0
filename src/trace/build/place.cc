#include "trace/build/place.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/release.h"
#include "trace/build/row_placer.h"

namespace stepscope {
namespace {

// The slot of the first span of each of a block's tracks, by block and block-local track.
std::vector<std::vector<uint32_t>> FirstSlots(std::span<EventBlock> blocks, const Joined& joined,
                                              FirstOfRow& first, TaskPool& pool) {
  std::vector<std::vector<uint32_t>> counts(blocks.size());
  pool.ForEach(blocks.size(), [&](size_t b) {
    counts[b].resize(joined.maps[b].rows.size());
    for (const uint32_t track : blocks[b].track) ++counts[b][track];
  });
  first.assign(joined.rows.size() + 1, 0);
  const auto for_each_used = [&](auto&& visit) {
    for (size_t b = 0; b < blocks.size(); ++b) {
      for (size_t t = 0; t < counts[b].size(); ++t) {
        if (counts[b][t] > 0) visit(joined.maps[b].rows[t], counts[b][t]);
      }
    }
  };
  for_each_used([&](uint32_t row, uint32_t count) { first[row + 1] += count; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for_each_used([&](uint32_t row, uint32_t& count) {
    const uint32_t spans = std::exchange(count, next[row]);
    next[row] += spans;
  });
  return counts;
}

// Moves the keys of the order to the slots and turns the blocks' track column into slots.
FirstOfRow AssignSlots(std::span<EventBlock> blocks, const Joined& joined, int64_t origin,
                       Slices& slices, TaskPool& pool) {
  FirstOfRow first;
  std::vector<std::vector<uint32_t>> next = FirstSlots(blocks, joined, first, pool);
  const uint32_t total = first.back();
  slices.start.resize(total);
  slices.duration.resize(total);
  slices.event.resize(total);
  pool.ForEach(blocks.size(), [&](size_t b) {
    EventBlock& block = blocks[b];
    for (size_t i = 0; i < block.track.size(); ++i) {
      const uint32_t slot = next[b][block.track[i]]++;
      block.track[i] = slot;
      slices.start[slot] = {block.start[i] - origin};
      slices.duration[slot] = {block.duration[i]};
      slices.event[slot] = block.event[i] + joined.maps[b].first_event;
    }
    Release(block.start);
    Release(block.duration);
    Release(block.event);
  });
  return first;
}

// Empty when everything was in order already.
std::vector<uint32_t> RowOfSlot(const FirstOfRow& first_of_row, std::span<const PlacedRow> placed) {
  if (std::all_of(placed.begin(), placed.end(),
                  [](const PlacedRow& row) { return row.rank.empty(); })) {
    return {};
  }
  std::vector<uint32_t> row_of_slot(first_of_row.back());
  std::iota(row_of_slot.begin(), row_of_slot.end(), 0U);
  for (size_t row = 0; row < placed.size(); ++row) {
    const uint32_t first = first_of_row[row];
    for (uint32_t i = 0; i < placed[row].rank.size(); ++i) {
      row_of_slot[first + i] = first + placed[row].rank[i];
    }
  }
  return row_of_slot;
}

}  // namespace

PlacedSpans PlaceSpans(std::span<EventBlock> blocks, Joined& joined, int64_t origin, Slices& slices,
                       TaskPool& pool) {
  const FirstOfRow first = AssignSlots(blocks, joined, origin, slices, pool);
  const size_t row_count = joined.rows.size();
  slices.parent.resize(slices.start.size());
  slices.depth.resize(slices.start.size());

  std::vector<PlacedRow> placed(row_count);
  const std::vector<uint32_t> by_size = RowsBySize(first);
  pool.ForEach(row_count, [&](size_t i) {
    const uint32_t row = by_size[i];
    placed[row] = PlaceRow({first[row], first[row + 1]}, RowColumns::kTimes, slices);
  });

  PlacedSpans placement;
  for (size_t row = 0; row < row_count; ++row) {
    joined.rows[row].first_track = static_cast<uint32_t>(placement.tracks.size());
    AddTracks(joined.rows[row].track, placed[row], first[row], placement.tracks);
    placement.overlapping += placed[row].overlapping;
  }
  const std::vector<uint32_t> row_of_slot = RowOfSlot(first, placed);
  placement.row_of.resize(blocks.size());
  pool.ForEach(blocks.size(), [&](size_t b) {
    placement.row_of[b] = std::move(blocks[b].track);
    if (row_of_slot.empty()) return;
    for (uint32_t& at : placement.row_of[b]) at = row_of_slot[at];
  });
  return placement;
}

}  // namespace stepscope
