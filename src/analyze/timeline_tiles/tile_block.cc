#include "analyze/timeline_tiles/tile_block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "analyze/idle/idle_gaps.h"

namespace stepscope {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kMagic = 0x31545353;  // "SST1"
constexpr int64_t kLabelBuckets = 24;    // an item narrower than this carries no label
constexpr size_t kLabelBytes = 160;

enum class BlockType : uint32_t { kSpans, kInstants, kIdle, kCounter };

struct BlockHeader {
  uint32_t line;
  BlockType type;
  int32_t shift;
  uint32_t items;
  double tile;
};
static_assert(sizeof(BlockHeader) == 24);

constexpr size_t Padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

template <typename T>
void Store(char* column, size_t index, T value) {
  std::memcpy(column + index * sizeof(T), &value, sizeof(T));
}

// Writes columns one after the other, each padded so that the next starts at a multiple of eight.
class Columns {
 public:
  explicit Columns(std::string& out) : out_(out) {}
  template <typename T>
  void Put(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T, typename Items, typename Get>
  void Column(const Items& items, Get get) {
    const size_t before = out_.size();
    out_.resize(before + Padded(items.size() * sizeof(T)));
    char* const column = out_.data() + before;
    for (size_t i = 0; i < items.size(); ++i) Store(column, i, static_cast<T>(get(items[i])));
  }

 private:
  std::string& out_;
};

class Encoder {
 public:
  Encoder(const Timeline& timeline, const TileRequest& request)
      : timeline_(timeline),
        request_(request),
        trace_(timeline.trace()),
        named_(timeline.trace().strings.size()) {}

  std::string Run() && {
    constexpr size_t kUsual = size_t{4} << 20;  // pages not written to cost nothing
    out_.reserve(kUsual);
    Columns columns(out_);
    const auto tiles = static_cast<size_t>(request_.last_tile - request_.first_tile + 1);
    columns.Put(kMagic);
    columns.Put(static_cast<uint32_t>(request_.lines.size() * tiles));
    for (const uint32_t line : request_.lines) {
      for (int64_t tile = request_.first_tile; tile <= request_.last_tile; ++tile) {
        Block(line, tile);
      }
    }
    Names();
    return std::move(out_);
  }

 private:
  Interval WindowOf(int64_t tile) const {
    const int shift = request_.shift + kTileBucketsLog2;
    return {{tile << shift}, {(tile + 1) << shift}};
  }

  void Block(uint32_t index, int64_t tile) {
    const Line& line = timeline_.lines()[index];
    switch (line.kind) {
      case LineKind::kTrack:
        return Spans(index, line, tile);
      case LineKind::kInstants:
        return Instants(index, line, tile);
      case LineKind::kIdle:
        return Idle(index, line, tile);
      case LineKind::kCounter:
        return Counter(index, line, tile);
    }
  }

  void Header(uint32_t line, BlockType type, int64_t tile, size_t items) {
    Columns(out_).Put(BlockHeader{line, type, request_.shift, static_cast<uint32_t>(items),
                                  static_cast<double>(tile)});
  }

  // One pass over the items for all columns. Rows are far apart, so each is a cache miss a column;
  // `fetch` asks for them ahead of time.
  template <typename Fetch, typename Name, typename KindOf, typename Flags>
  void ItemColumns(Fetch fetch, Name name, KindOf kind, Flags flags) {
    const size_t n = items_.size();
    const size_t before = out_.size();
    const size_t wide = n * 8;
    const size_t word = Padded(n * 4);
    out_.resize(before + 2 * wide + 4 * word + Padded(n * 2) + 2 * Padded(n));
    char* const start = out_.data() + before;
    char* const extent = start + wide;
    char* const busy = extent + wide;
    char* const row = busy + word;
    char* const count = row + word;
    char* const names = count + word;
    char* const depth = names + word;
    char* const kinds = depth + Padded(n * 2);
    char* const flag = kinds + Padded(n);
    constexpr size_t kAhead = 12;
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) fetch(items_[i + kAhead].largest);
      const LodItem& item = items_[i];
      Store(start, i, static_cast<double>(item.start.ns));
      Store(extent, i, static_cast<double>(item.extent.ns));
      Store(busy, i,
            item.extent.ns == 0
                ? 1.0F
                : static_cast<float>(item.busy.ns) / static_cast<float>(item.extent.ns));
      Store(row, i, item.largest);
      Store(count, i, item.count);
      Store(names, i, static_cast<uint32_t>(name(item.largest)));
      Store(depth, i, depths_[i]);
      Store(kinds, i, static_cast<uint8_t>(kind(item.largest)));
      Store(flag, i, static_cast<uint8_t>(flags(item.largest)));
    }
  }

  void Clear() {
    items_.clear();
    depths_.clear();
  }

  void Gather(const LodStrip& strip, int64_t tile, uint16_t depth) {
    strip.Collect(WindowOf(tile), request_.shift, items_);
    depths_.resize(items_.size(), depth);
  }

  void Spans(uint32_t index, const Line& line, int64_t tile) {
    const Slices& slices = trace_.slices;
    Clear();
    for (uint32_t depth = 0; depth < line.depths; ++depth) {
      Gather(timeline_.strip(line, depth), tile, static_cast<uint16_t>(depth));
    }
    Header(index, BlockType::kSpans, tile, items_.size());
    const auto fetch = [&](uint32_t row) {
      __builtin_prefetch(&slices.name[row]);
      __builtin_prefetch(&slices.kind[row]);
      __builtin_prefetch(&slices.flags[row]);
    };
    ItemColumns(
        fetch, [&](uint32_t row) { return Index(slices.name[row]); },
        [&](uint32_t row) { return slices.kind[row]; },
        [&](uint32_t row) { return slices.flags[row]; });
    for (const LodItem& item : items_) {
      const bool labelled = item.extent.ns >> request_.shift >= kLabelBuckets;
      if (labelled || (request_.all_names && item.count == 1)) Mention(slices.name[item.largest]);
    }
  }

  void Instants(uint32_t index, const Line& line, int64_t tile) {
    Clear();
    Gather(timeline_.strip(line, 0), tile, 0);
    Header(index, BlockType::kInstants, tile, items_.size());
    ItemColumns([](uint32_t) {}, [&](uint32_t row) { return Index(trace_.instants[row].name); },
                [](uint32_t) { return 0; }, [](uint32_t) { return 0; });
  }

  void Idle(uint32_t index, const Line& line, int64_t tile) {
    const IdleGaps& idle = timeline_.idle(line);
    Clear();
    Gather(timeline_.idle_strip(line), tile, 0);
    Header(index, BlockType::kIdle, tile, items_.size());
    ItemColumns([](uint32_t) {}, [&](uint32_t row) { return Index(idle.blamed[row]); },
                [&](uint32_t row) { return idle.cause[row]; }, [](uint32_t) { return 0; });
  }

  void Counter(uint32_t index, const Line& line, int64_t tile) {
    samples_.clear();
    timeline_.counter(line).Collect(WindowOf(tile), request_.shift, samples_);
    Header(index, BlockType::kCounter, tile, samples_.size());
    Columns columns(out_);
    columns.Column<double>(samples_, [](const CounterItem& c) { return c.time.ns; });
    columns.Column<float>(samples_, [](const CounterItem& c) { return c.min; });
    columns.Column<float>(samples_, [](const CounterItem& c) { return c.max; });
    columns.Column<float>(samples_, [](const CounterItem& c) { return c.last; });
    columns.Column<uint32_t>(samples_, [](const CounterItem& c) { return c.count; });
  }

  void Mention(StringId name) {
    if (named_[Index(name)]) return;
    named_[Index(name)] = true;
    names_.push_back(name);
  }

  void Names() {
    Columns columns(out_);
    columns.Put(static_cast<uint32_t>(names_.size()));
    for (const StringId name : names_) {
      const std::string_view text = trace_.strings[name].substr(0, kLabelBytes);
      columns.Put(Index(name));
      columns.Put(static_cast<uint32_t>(text.size()));
      out_.append(text);
    }
  }

  const Timeline& timeline_;
  const TileRequest& request_;
  const Trace& trace_;
  std::vector<bool> named_;
  std::vector<StringId> names_;
  std::vector<LodItem> items_;  // of the block in work
  std::vector<uint16_t> depths_;
  std::vector<CounterItem> samples_;
  std::string out_;
};

}  // namespace

std::string EncodeTiles(const Timeline& timeline, const TileRequest& request) {
  return Encoder(timeline, request).Run();
}

}  // namespace stepscope
