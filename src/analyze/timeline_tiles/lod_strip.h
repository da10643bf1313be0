#pragma once

#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "base/time.h"

namespace stepscope {

// The columns a strip's rows point into; they must outlive the strip.
struct SpanColumns {
  std::span<const TimeNs> start;
  std::span<const DurationNs> duration;
};

// Rows in order of start: those of a list, which must outlive this, or all from one on.
class RowList {
 public:
  explicit RowList(std::span<const uint32_t> rows) : list_(rows.data()), size_(rows.size()) {}
  RowList(uint32_t first, size_t size) : first_(first), size_(size) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint32_t operator[](size_t i) const {
    return list_ == nullptr ? first_ + static_cast<uint32_t>(i) : list_[i];
  }
  RowList Part(size_t first, size_t last) const {
    return list_ == nullptr ? RowList(first_ + static_cast<uint32_t>(first), last - first)
                            : RowList(std::span(list_ + first, last - first));
  }
  // For loops and algorithms.
  auto View() const {
    return std::views::iota(uint32_t{0}, static_cast<uint32_t>(size_)) |
           std::views::transform([rows = *this](uint32_t i) { return rows[i]; });
  }

 private:
  const uint32_t* list_ = nullptr;
  uint32_t first_ = 0;
  size_t size_ = 0;
};

// What is drawn as one rectangle: a span, or neighbours too small to tell apart. Nothing is left
// out: the counts of all items of a window add up to the number of spans in it.
struct LodItem {
  TimeNs start;
  DurationNs extent;     // first start to last end
  DurationNs busy;       // sum of the durations; of joined spans to a thousandth of a percent
  DurationNs longest;    // the longest duration
  uint32_t largest = 0;  // row of the longest span in it, the first of equals
  uint32_t count = 1;
};

// One line of a timeline at every zoom: disjoint spans ordered by start (a depth of a track, idle
// gaps, instants). A resolution is a power of two of nanoseconds, the width of a bucket; spans
// shorter than that whose starts fall into one bucket of the grid become one item.
//
// Chunks of at most 32 Ki spans and 4.29 s each keep the first resolution at which they shrink to a
// quarter and after it each that halves them, so levels cost at most 10 bytes per span (5
// measured), and a window is answered from few times the items it returns, however unevenly spans
// are spread.
class LodStrip {
 public:
  static constexpr size_t kChunkSpans = size_t{1} << 15;

  // Takes the order in; levels are made by BuildChunk, which may run on any thread, one call a
  // chunk.
  LodStrip(SpanColumns columns, RowList rows);
  size_t chunks() const { return chunks_.size(); }
  void BuildChunk(size_t chunk);

  // Appends the items that touch the window, by start. O(log spans + items).
  void Collect(Interval window, int shift, std::vector<LodItem>& out) const;
  // The rows whose spans touch the window: a contiguous part of rows(). O(log spans).
  RowList RowsIn(Interval window) const;
  const RowList& rows() const { return rows_; }
  size_t BytesOfLevels() const;

 private:
  // An item of a level is under two buckets long, which 32 bits hold exactly up to here; coarser
  // items are joined when asked for. A single span may be longer and is then read from the columns.
  static constexpr int kMaxShift = 31;
  static constexpr uint32_t kTooLong = std::numeric_limits<uint32_t>::max();
  struct Item {
    uint32_t start;  // since the chunk's first
    uint32_t extent;
    uint32_t longest;
    uint32_t largest;
    uint16_t count;
    uint16_t busy;  // share of the extent, in 65,535ths
  };
  static_assert(sizeof(Item) == 20);
  struct Level {
    int shift = 0;
    std::vector<Item> items;
  };
  struct Chunk {
    TimeNs start;  // of the first span
    size_t first = 0;
    size_t last = 0;
    std::vector<Level> levels;  // fine to coarse
  };

  LodItem Single(uint32_t row) const {
    const DurationNs duration = columns_.duration[row];
    return {columns_.start[row], duration, duration, duration, row, 1};
  }
  LodItem Widen(const Chunk& chunk, const Item& item) const;
  static Item Narrow(const LodItem& item, TimeNs chunk_start);
  size_t FirstFrom(TimeNs time) const;
  static void Append(const LodItem& item, int shift, size_t begin, std::vector<LodItem>& out);
  void CollectChunk(const Chunk& chunk, Interval window, int shift, size_t begin,
                    std::vector<LodItem>& out) const;

  SpanColumns columns_;
  RowList rows_;
  std::vector<Chunk> chunks_;
};

}  // namespace stepscope
