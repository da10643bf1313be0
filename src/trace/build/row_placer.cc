#include "trace/build/row_placer.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/sort_runs.h"

namespace stepscope {
namespace {

class RowPlacer {
 public:
  RowPlacer(RowRange row, RowColumns columns, Slices& slices)
      : slices_(slices),
        first_(row.first),
        count_(row.size()),
        whole_(columns == RowColumns::kAll) {}

  // The slots' own order becomes (start, longer first, file order).
  void Sort() {
    const Order order = OrderOfSlots();
    if (order == Order::kSorted) return;
    if (order == Order::kTiesApart && whole_) return SortTies();
    std::vector<Key> keys(count_);
    for (uint32_t i = 0; i < count_; ++i) keys[i] = {slices_.start[first_ + i], first_ + i};
    SortRuns(keys, [this](const Key& a, const Key& b) {
      return a.start != b.start ? a.start < b.start : TieBefore(a.slot, b.slot);
    });
    std::vector<uint32_t> to(count_);
    for (uint32_t i = 0; i < count_; ++i) to[keys[i].slot - first_] = i;
    Move(std::move(to));
  }

  void NestAndWrite() {
    const std::span parent(slices_.parent.data() + first_, count_);
    const std::span depth(slices_.depth.data() + first_, count_);
    const Nesting nesting =
        Nest(std::span(slices_.start).subspan(first_, count_),
             std::span(slices_.duration).subspan(first_, count_), first_, parent, depth);
    placed_.overlapping = nesting.overlapping;
    std::vector<uint32_t> to = LanePositions(nesting);
    if (to.empty()) return;
    for (SliceId& up : parent) {
      if (up != kNoSlice) up = SliceId{first_ + to[Index(up) - first_]};
    }
    Permute(slices_.parent, to);
    Permute(slices_.depth, to);
    Move(std::move(to));
  }

  PlacedRow Take() && { return std::move(placed_); }

 private:
  enum class Order : uint8_t { kSorted, kTiesApart, kUnsorted };
  struct Key {
    TimeNs start;
    uint32_t slot;
  };

  // Of two slots that start together.
  bool TieBefore(uint32_t a, uint32_t b) const {
    if (slices_.duration[a] != slices_.duration[b]) {
      return slices_.duration[a] > slices_.duration[b];
    }
    return slices_.event[a] < slices_.event[b];
  }

  Order OrderOfSlots() const {
    Order order = Order::kSorted;
    for (uint32_t slot = first_ + 1; slot < first_ + count_; ++slot) {
      if (slices_.start[slot - 1] < slices_.start[slot]) continue;
      if (slices_.start[slot] < slices_.start[slot - 1]) return Order::kUnsorted;
      if (TieBefore(slot, slot - 1)) order = Order::kTiesApart;
    }
    return order;
  }

  // Only spans that start together are in the wrong order, for example where times were rounded:
  // sorts each such group in place.
  void SortTies() {
    std::vector<uint32_t> group;
    const uint32_t last = first_ + count_;
    for (uint32_t slot = first_; slot < last;) {
      uint32_t end = slot + 1;
      bool sorted = true;
      for (; end < last && slices_.start[end] == slices_.start[slot]; ++end) {
        sorted = sorted && !TieBefore(end, end - 1);
      }
      if (!sorted) {
        group.resize(end - slot);
        std::iota(group.begin(), group.end(), slot);
        std::sort(group.begin(), group.end(),
                  [this](uint32_t a, uint32_t b) { return TieBefore(a, b); });
        Gather(slices_.duration, group, slot);
        Gather(slices_.event, group, slot);
        Gather(slices_.name, group, slot);
        Gather(slices_.args, group, slot);
        Gather(slices_.kind, group, slot);
        Gather(slices_.flags, group, slot);
      }
      slot = end;
    }
  }

  // column[to + i] = what was at from[i], within one group.
  template <typename T>
  void Gather(std::vector<T>& column, const std::vector<uint32_t>& from, uint32_t to) {
    T* const held = Scratch<T>(from.size());
    for (size_t i = 0; i < from.size(); ++i) held[i] = column[from[i]];
    std::copy(held, held + from.size(), column.begin() + to);
  }

  // One buffer for all columns: fresh memory costs more than moving what is in it.
  template <typename T>
  T* Scratch(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));
    if (scratch_size_ < count) {
      scratch_ = std::make_unique_for_overwrite<uint64_t[]>(count);
      scratch_size_ = count;
    }
    return reinterpret_cast<T*>(scratch_.get());
  }

  // What stands at i of the row goes to to[i].
  template <typename T>
  void Permute(std::vector<T>& column, const std::vector<uint32_t>& to) {
    T* const at = column.data() + first_;
    T* const before = Scratch<T>(count_);
    std::copy(at, at + count_, before);
    for (uint32_t i = 0; i < count_; ++i) at[to[i]] = before[i];
  }

  void Move(std::vector<uint32_t> to) {
    Permute(slices_.start, to);
    Permute(slices_.duration, to);
    Permute(slices_.event, to);
    if (whole_) {
      Permute(slices_.name, to);
      Permute(slices_.args, to);
      Permute(slices_.kind, to);
      Permute(slices_.flags, to);
    } else if (placed_.rank.empty()) {
      placed_.rank = std::move(to);
    } else {
      for (uint32_t& rank : placed_.rank) rank = to[rank];
    }
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

  Slices& slices_;
  const uint32_t first_;
  const uint32_t count_;
  const bool whole_;
  std::unique_ptr<uint64_t[]> scratch_;
  size_t scratch_size_ = 0;
  PlacedRow placed_;
};

}  // namespace

PlacedRow PlaceRow(RowRange row, RowColumns columns, Slices& slices) {
  RowPlacer placer(row, columns, slices);
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
