#include "trace/build/place.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/release.h"
#include "base/sort_runs.h"
#include "trace/build/nesting.h"

namespace stepscope {
namespace {

// Spans lie by row and file order in the columns of the slices before each row is sorted in place.
// A span's number in that order is its slot. By row, and one past the end: its first slot.
using FirstOfRow = std::vector<uint32_t>;

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

struct Key {
  TimeNs start;
  DurationNs duration;
  uint32_t event;
  uint32_t slot;

  friend bool operator<(const Key& a, const Key& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.duration != b.duration) return a.duration > b.duration;
    return a.event < b.event;
  }
};

// Sorts one row of the timeline and nests it. Touches only this row's part of `slices`.
class RowPlacer {
 public:
  RowPlacer(const FirstOfRow& first, uint32_t row, Slices& slices)
      : slices_(slices), first_(first[row]), count_(first[row + 1] - first_) {}

  // The slots' own order becomes (start, longer first, file order); rank_ says where each went.
  void Sort() {
    if (IsSorted()) return;
    std::vector<Key> keys = Keys();
    SortRuns(keys, std::less<>());
    rank_.resize(count_);
    for (uint32_t i = 0; i < count_; ++i) {
      rank_[keys[i].slot - first_] = i;
      Write(keys[i], first_ + i);
    }
  }

  void NestAndWrite() {
    std::vector<uint32_t> parent(count_);
    std::vector<uint16_t> depth(count_);
    nesting_ = Nest(std::span(slices_.start).subspan(first_, count_),
                    std::span(slices_.duration).subspan(first_, count_), parent, depth);
    const std::vector<uint32_t> to = LanePositions();
    const auto row_at = [&](uint32_t i) { return first_ + (to.empty() ? i : to[i]); };
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t row = row_at(i);
      slices_.depth[row] = depth[i];
      slices_.parent[row] = parent[i] == kNoRow ? kNoSlice : SliceId{row_at(parent[i])};
    }
    if (to.empty()) return;
    const std::vector<Key> keys = Keys();
    for (uint32_t i = 0; i < count_; ++i) Write(keys[i], row_at(i));
    if (rank_.empty()) {
      rank_ = to;
    } else {
      for (uint32_t& rank : rank_) rank = to[rank];
    }
  }

  uint64_t overlapping() const { return nesting_.overlapping; }
  const std::vector<uint32_t>& lane_sizes() const { return lane_sizes_; }
  // By slot, both counted from the row's first: where it went. Empty: where it was.
  std::vector<uint32_t> TakeRank() { return std::move(rank_); }

 private:
  Key KeyAt(uint32_t slot) const {
    return {slices_.start[slot], slices_.duration[slot], slices_.event[slot], slot};
  }
  std::vector<Key> Keys() const {
    std::vector<Key> keys(count_);
    for (uint32_t i = 0; i < count_; ++i) keys[i] = KeyAt(first_ + i);
    return keys;
  }
  void Write(const Key& key, uint32_t row) {
    slices_.start[row] = key.start;
    slices_.duration[row] = key.duration;
    slices_.event[row] = key.event;
  }

  bool IsSorted() const {
    for (uint32_t slot = first_ + 1; slot < first_ + count_; ++slot) {
      if (KeyAt(slot) < KeyAt(slot - 1)) return false;
    }
    return true;
  }

  // Where each position goes when the lanes stand one after the other; empty with one lane.
  std::vector<uint32_t> LanePositions() {
    lane_sizes_.assign(nesting_.lanes, 0);
    if (nesting_.lanes == 1) {
      lane_sizes_[0] = count_;
      return {};
    }
    for (const uint32_t lane : nesting_.lane) ++lane_sizes_[lane];
    std::vector<uint32_t> next(nesting_.lanes);
    std::exclusive_scan(lane_sizes_.begin(), lane_sizes_.end(), next.begin(), 0U);
    std::vector<uint32_t> to(count_);
    for (uint32_t i = 0; i < count_; ++i) to[i] = next[nesting_.lane[i]]++;
    return to;
  }

  Slices& slices_;
  const uint32_t first_;
  const uint32_t count_;
  Nesting nesting_;
  std::vector<uint32_t> rank_;
  std::vector<uint32_t> lane_sizes_;
};

struct PlacedRow {
  std::vector<uint32_t> rank;
  std::vector<uint32_t> lane_sizes;
  uint64_t overlapping = 0;
};

// Largest rows first, so that the longest task does not start last.
std::vector<uint32_t> RowsBySize(const FirstOfRow& first) {
  std::vector<uint32_t> rows(first.size() - 1);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto size = [&](uint32_t row) { return first[row + 1] - first[row]; };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return size(a) > size(b); });
  return rows;
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

void AddTracks(JoinedRow& row, const PlacedRow& placed, uint32_t first,
               std::vector<Track>& tracks) {
  row.first_track = static_cast<uint32_t>(tracks.size());
  for (uint32_t lane = 0; lane < placed.lane_sizes.size(); ++lane) {
    Track& track = tracks.emplace_back(row.track);
    track.lane = lane;
    track.slices = {first, first + placed.lane_sizes[lane]};
    first = track.slices.last;
  }
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
    RowPlacer placer(first, by_size[i], slices);
    placer.Sort();
    placer.NestAndWrite();
    placed[by_size[i]] = {placer.TakeRank(), placer.lane_sizes(), placer.overlapping()};
  });

  PlacedSpans placement;
  for (size_t row = 0; row < row_count; ++row) {
    AddTracks(joined.rows[row], placed[row], first[row], placement.tracks);
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
