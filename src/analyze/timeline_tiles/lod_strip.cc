#include "analyze/timeline_tiles/lod_strip.h"

#include <algorithm>
#include <bit>

namespace stepscope {
namespace {

constexpr uint32_t kWholeShare = 65535;

int64_t BucketOf(TimeNs time, int shift) { return time.ns >> shift; }

// Whether an item may share a bucket: it is shorter than one, or already joined at a finer
// resolution.
bool CanJoin(const LodItem& item, int shift) {
  return item.count > 1 || item.extent.ns < (int64_t{1} << shift);
}

// The finest resolution at which spans spread evenly over this length would begin to meet.
int FirstUsefulShift(DurationNs length, size_t spans) {
  const auto per_span = static_cast<uint64_t>(length.ns) / std::max<size_t>(spans, 1);
  return std::max(static_cast<int>(std::bit_width(per_span)) - 1, 0);
}

}  // namespace

LodStrip::LodStrip(SpanColumns columns, RowList rows) : columns_(columns), rows_(rows) {
  for (size_t first = 0; first < rows.size();) {
    const TimeNs start = columns.start[rows[first]];
    size_t last = std::min(first + kChunkSpans, rows.size());
    if ((columns.start[rows[last - 1]] - start).ns > int64_t{kTooLong}) {
      last = FirstFrom(start + DurationNs{int64_t{kTooLong} + 1});
    }
    chunks_.push_back({start, first, last, {}});
    first = last;
  }
}

// The place of the first span that starts at a time or later.
size_t LodStrip::FirstFrom(TimeNs time) const {
  const auto places = std::views::iota(uint32_t{0}, static_cast<uint32_t>(rows_.size()));
  const auto found = std::ranges::lower_bound(
      places, time, {}, [&](uint32_t place) { return columns_.start[rows_[place]]; });
  return static_cast<size_t>(found - places.begin());
}

LodItem LodStrip::Widen(const Chunk& chunk, const Item& item) const {
  if (item.extent == kTooLong) return Single(item.largest);
  const TimeNs start = chunk.start + DurationNs{item.start};
  const DurationNs extent{item.extent};
  if (item.count == 1) return {start, extent, extent, extent, item.largest, 1};
  const auto busy =
      static_cast<int64_t>((uint64_t{item.extent} * item.busy + kWholeShare / 2) / kWholeShare);
  return {start, extent, {busy}, {item.longest}, item.largest, item.count};
}

LodStrip::Item LodStrip::Narrow(const LodItem& item, TimeNs chunk_start) {
  const auto limited = [](DurationNs d) {
    return static_cast<uint32_t>(std::min(d.ns, int64_t{kTooLong}));
  };
  const int64_t share =
      item.count == 1 || item.extent.ns == 0
          ? int64_t{kWholeShare}
          : (item.busy.ns * int64_t{kWholeShare} + item.extent.ns / 2) / item.extent.ns;
  return {limited(item.start - chunk_start),
          limited(item.extent),
          limited(item.longest),
          item.largest,
          static_cast<uint16_t>(item.count),
          static_cast<uint16_t>(share)};
}

// Joins with the last item when both are small and start in one bucket; items before `begin` are
// another's.
void LodStrip::Append(const LodItem& item, int shift, size_t begin, std::vector<LodItem>& out) {
  if (out.size() == begin || !CanJoin(item, shift) || !CanJoin(out.back(), shift) ||
      BucketOf(out.back().start, shift) != BucketOf(item.start, shift)) {
    out.push_back(item);
    return;
  }
  LodItem& last = out.back();
  last.extent = std::max(last.start + last.extent, item.start + item.extent) - last.start;
  last.busy += item.busy;
  last.count += item.count;
  if (item.longest > last.longest) {
    last.longest = item.longest;
    last.largest = item.largest;
  }
}

void LodStrip::BuildChunk(size_t index) {
  constexpr size_t kWorthALevel = 64;
  constexpr size_t kFirstShrinks = 4;
  constexpr size_t kNextShrinks = 2;
  Chunk& chunk = chunks_[index];
  const size_t spans = chunk.last - chunk.first;
  if (spans < kWorthALevel) return;
  std::vector<LodItem> now, joined;
  now.reserve(spans);
  for (size_t place = chunk.first; place < chunk.last; ++place) {
    now.push_back(Single(rows_[place]));
  }
  const DurationNs length = now.back().start - now.front().start;
  size_t kept = spans;
  for (int shift = FirstUsefulShift(length, spans); shift <= kMaxShift; ++shift) {
    joined.clear();
    for (const LodItem& item : now) Append(item, shift, 0, joined);
    std::swap(now, joined);
    const size_t shrinks = chunk.levels.empty() ? kFirstShrinks : kNextShrinks;
    if (now.size() * shrinks > kept) continue;
    kept = now.size();
    Level& level = chunk.levels.emplace_back();
    level.shift = shift;
    level.items.reserve(kept);
    for (const LodItem& item : now) level.items.push_back(Narrow(item, chunk.start));
    if (kept == 1) break;
  }
}

void LodStrip::CollectChunk(const Chunk& chunk, Interval window, int shift, size_t begin,
                            std::vector<LodItem>& out) const {
  const auto usable =
      std::ranges::find_if(chunk.levels.rbegin(), chunk.levels.rend(),
                           [&](const Level& level) { return level.shift <= shift; });
  // Spans are disjoint: of those that start before the window only the last can reach into it.
  if (usable != chunk.levels.rend()) {
    const std::vector<Item>& items = usable->items;
    const int64_t from = (window.start - chunk.start).ns;
    const int64_t to = (window.end - chunk.start).ns;
    auto item =
        std::ranges::lower_bound(items, from, {}, [](const Item& i) { return int64_t{i.start}; });
    if (item != items.begin()) --item;
    for (; item != items.end() && item->start < to; ++item) {
      Append(Widen(chunk, *item), shift, begin, out);
    }
    return;
  }
  const auto rows = rows_.Part(chunk.first, chunk.last).View();
  auto row = std::ranges::lower_bound(rows, window.start, {},
                                      [&](uint32_t r) { return columns_.start[r]; });
  if (row != rows.begin()) --row;
  for (; row != rows.end() && columns_.start[*row] < window.end; ++row) {
    Append(Single(*row), shift, begin, out);
  }
}

void LodStrip::Collect(Interval window, int shift, std::vector<LodItem>& out) const {
  const size_t begin = out.size();
  // Starts one bucket earlier, so that an item that reaches in from there is complete at any level;
  // items that end before the window are removed again.
  const TimeNs asked = window.start;
  window.start = {((asked.ns >> shift) - 1) << shift};
  auto chunk = std::ranges::lower_bound(chunks_, window.start, {}, &Chunk::start);
  if (chunk != chunks_.begin()) --chunk;
  for (; chunk != chunks_.end() && chunk->start < window.end; ++chunk) {
    CollectChunk(*chunk, window, shift, begin, out);
  }
  const auto first = out.begin() + static_cast<ptrdiff_t>(begin);
  out.erase(first, std::find_if(first, out.end(), [&](const LodItem& item) {
              return item.start >= asked || item.start + item.extent > asked;
            }));
}

RowList LodStrip::RowsIn(Interval window) const {
  size_t first = FirstFrom(window.start);
  const size_t last = FirstFrom(window.end);
  if (first > 0) {
    const uint32_t before = rows_[first - 1];
    if (columns_.start[before] + columns_.duration[before] > window.start) --first;
  }
  return rows_.Part(first, std::max(first, last));
}

size_t LodStrip::BytesOfLevels() const {
  size_t bytes = chunks_.capacity() * sizeof(Chunk);
  for (const Chunk& chunk : chunks_) {
    for (const Level& level : chunk.levels) {
      bytes += sizeof(Level) + level.items.capacity() * sizeof(Item);
    }
  }
  return bytes;
}

}  // namespace stepscope
