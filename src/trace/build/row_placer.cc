#include "trace/build/row_placer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/sort_runs.h"

namespace stepscope {
namespace {

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

class RowPlacer {
 public:
  RowPlacer(RowRange row, Slices& slices)
      : slices_(slices), first_(row.first), count_(row.size()) {}

  // The slots' own order becomes (start, longer first, file order); rank says where each went.
  void Sort() {
    if (IsSorted()) return;
    std::vector<Key> keys = Keys();
    SortRuns(keys, std::less<>());
    placed_.rank.resize(count_);
    for (uint32_t i = 0; i < count_; ++i) {
      placed_.rank[keys[i].slot - first_] = i;
      Write(keys[i], first_ + i);
    }
  }

  void NestAndWrite() {
    const std::span parent(slices_.parent.data() + first_, count_);
    const std::span depth(slices_.depth.data() + first_, count_);
    const Nesting nesting =
        Nest(std::span(slices_.start).subspan(first_, count_),
             std::span(slices_.duration).subspan(first_, count_), first_, parent, depth);
    placed_.overlapping = nesting.overlapping;
    const std::vector<uint32_t> to = LanePositions(nesting);
    if (!to.empty()) MoveToLanes(to);
  }

  PlacedRow Take() && { return std::move(placed_); }

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
      if (slices_.start[slot - 1] < slices_.start[slot]) continue;
      if (KeyAt(slot) < KeyAt(slot - 1)) return false;
    }
    return true;
  }

  // Where each position goes when the lanes stand one after the other; empty with one lane.
  std::vector<uint32_t> LanePositions(const Nesting& nesting) {
    placed_.lane_sizes.assign(nesting.lanes, 0);
    if (nesting.lanes == 1) {
      placed_.lane_sizes[0] = count_;
      return {};
    }
    for (const uint32_t lane : nesting.lane) ++placed_.lane_sizes[lane];
    std::vector<uint32_t> next(nesting.lanes);
    std::exclusive_scan(placed_.lane_sizes.begin(), placed_.lane_sizes.end(), next.begin(), 0U);
    std::vector<uint32_t> to(count_);
    for (uint32_t i = 0; i < count_; ++i) to[i] = next[nesting.lane[i]]++;
    return to;
  }

  void MoveToLanes(const std::vector<uint32_t>& to) {
    const std::vector<Key> keys = Keys();
    const std::vector<SliceId> parent(slices_.parent.begin() + first_,
                                      slices_.parent.begin() + first_ + count_);
    const std::vector<uint16_t> depth(slices_.depth.begin() + first_,
                                      slices_.depth.begin() + first_ + count_);
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t row = first_ + to[i];
      Write(keys[i], row);
      slices_.depth[row] = depth[i];
      slices_.parent[row] =
          parent[i] == kNoSlice ? kNoSlice : SliceId{first_ + to[Index(parent[i]) - first_]};
    }
    if (placed_.rank.empty()) {
      placed_.rank = to;
    } else {
      for (uint32_t& rank : placed_.rank) rank = to[rank];
    }
  }

  Slices& slices_;
  const uint32_t first_;
  const uint32_t count_;
  PlacedRow placed_;
};

}  // namespace

PlacedRow PlaceRow(RowRange row, Slices& slices) {
  RowPlacer placer(row, slices);
  placer.Sort();
  placer.NestAndWrite();
  return std::move(placer).Take();
}

std::vector<uint32_t> RowsBySize(const FirstOfRow& first) {
  std::vector<uint32_t> rows(first.size() - 1);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto size = [&](uint32_t row) { return first[row + 1] - first[row]; };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return size(a) > size(b); });
  return rows;
}

void AddTracks(const Track& row, const PlacedRow& placed, uint32_t first,
               std::vector<Track>& tracks) {
  for (uint32_t lane = 0; lane < placed.lane_sizes.size(); ++lane) {
    Track& track = tracks.emplace_back(row);
    track.lane = lane;
    track.slices = {first, first + placed.lane_sizes[lane]};
    first = track.slices.last;
  }
}

}  // namespace stepscope
