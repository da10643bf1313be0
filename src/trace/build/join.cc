#include "trace/build/join.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "base/release.h"

namespace stepscope {
namespace {

// Pairs of dense 32-bit numbers as keys.
uint64_t PairOf(uint32_t a, uint32_t b) { return uint64_t{a} << 32U | b; }

struct RowKey {
  uint32_t process;
  uint32_t thread;  // 0 when there is a scope
  uint32_t scope;
  bool stream;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};
struct RowKeyHash {
  size_t operator()(const RowKey& key) const {
    constexpr uint64_t kOddFraction = 0x9E3779B97F4A7C15;
    const uint64_t mixed = PairOf(key.process, key.thread) * kOddFraction;
    return (mixed ^ (mixed >> 29U) ^ PairOf(key.stream ? 1 : 0, key.scope)) * kOddFraction;
  }
};

struct ThreadMetadata {
  StringId name = kEmptyString;
  std::optional<int64_t> sort_index;
};

class Joiner {
 public:
  Joined Run(std::span<EventBlock> blocks) {
    uint64_t first_event = 0;
    for (EventBlock& block : blocks) {
      BlockMaps& maps = joined_.maps.emplace_back();
      maps.first_event = static_cast<uint32_t>(first_event);
      first_event += block.event_count;
      maps.strings.reserve(block.strings.size());
      for (uint32_t id = 0; id < block.strings.size(); ++id) {
        maps.strings.push_back(joined_.strings.Intern(block.strings[StringId{id}]));
      }
      MapTracks(block, maps);
      block.strings = StringTable();
      Release(block.tracks);
      Release(block.metadata);
    }
    NameRows();
    return std::move(joined_);
  }

 private:
  // The key as the file spells it, numbered: "1" and 1 are the same.
  uint32_t KeyOf(const IdKey& key, const EventBlock& block) {
    if (key.text != kEmptyString) return Index(keys_.Intern(block.strings[key.text]));
    return Index(keys_.Intern(fmt::format_int(key.number).c_str()));
  }

  void MapTracks(const EventBlock& block, BlockMaps& maps) {
    // A track that only metadata mentions gets no row from it: the name goes to all rows with its
    // numbers.
    std::vector<uint32_t> process_keys, thread_keys;
    std::vector<bool> used = TracksUsed(block);
    for (uint32_t t = 0; t < block.tracks.size(); ++t) {
      const EventBlock::TrackKey& key = block.tracks[t];
      process_keys.push_back(KeyOf(key.process, block));
      thread_keys.push_back(KeyOf(key.thread, block));
      maps.rows.push_back(
          used[t] ? RowOf(process_keys[t], thread_keys[t], key.kind, maps.strings[Index(key.scope)])
                  : kNoRow);
    }
    for (const EventBlock::Metadata& m : block.metadata) {
      Note(m, process_keys[m.track], thread_keys[m.track], maps.strings[Index(m.text)]);
    }
  }

  static std::vector<bool> TracksUsed(const EventBlock& block) {
    std::vector<bool> used(block.tracks.size(), false);
    if (!block.placed.empty()) used[0] = true;
    for (const uint32_t track : block.track) used[track] = true;
    for (const EventBlock::Half& half : block.halves) used[half.track] = true;
    for (const Flow& flow : block.flows) used[Index(flow.track)] = true;
    for (const Instant& instant : block.instants) used[Index(instant.track)] = true;
    for (const auto& [sample, track] : block.counters) used[track] = true;
    for (const Allocation& allocation : block.allocations) used[Index(allocation.track)] = true;
    return used;
  }

  uint32_t ProcessOf(uint32_t key) {
    const auto [at, is_new] =
        processes_.emplace(key, static_cast<uint32_t>(joined_.processes.size()));
    if (is_new) joined_.processes.push_back({.key = std::string(keys_[StringId{key}])});
    return at->second;
  }

  uint32_t RowOf(uint32_t process_key, uint32_t thread_key, TrackKind kind, StringId scope) {
    const bool scoped = scope != kEmptyString;
    const RowKey key{process_key, scoped ? 0 : thread_key, Index(scope),
                     kind == TrackKind::kStream};
    const auto [at, is_new] = rows_.emplace(key, static_cast<uint32_t>(joined_.rows.size()));
    if (is_new) {
      Track track;
      track.process = ProcessId{ProcessOf(process_key)};
      track.key =
          scoped ? std::string(joined_.strings[scope]) : std::string(keys_[StringId{thread_key}]);
      track.kind = kind;
      joined_.rows.push_back({std::move(track), 0});
      metadata_keys_.push_back(scoped ? kNoMetadata : PairOf(process_key, thread_key));
    }
    return at->second;
  }

  void Note(const EventBlock::Metadata& m, uint32_t process_key, uint32_t thread_key,
            StringId text) {
    using enum EventBlock::MetadataKey;
    switch (m.key) {
      case kProcessName:
        joined_.processes[ProcessOf(process_key)].name = text;
        break;
      case kProcessLabels:
        joined_.processes[ProcessOf(process_key)].labels = text;
        break;
      case kProcessSortIndex:
        joined_.processes[ProcessOf(process_key)].sort_index = m.number;
        break;
      case kThreadName:
        threads_[PairOf(process_key, thread_key)].name = text;
        break;
      case kThreadSortIndex:
        threads_[PairOf(process_key, thread_key)].sort_index = m.number;
        break;
    }
  }

  // Metadata may come after the events it names, so last of all.
  void NameRows() {
    for (size_t r = 0; r < joined_.rows.size(); ++r) {
      const auto at = threads_.find(metadata_keys_[r]);
      if (at == threads_.end()) continue;
      joined_.rows[r].track.name = at->second.name;
      joined_.rows[r].track.sort_index = at->second.sort_index.value_or(0);
    }
  }

  static constexpr uint64_t kNoMetadata = ~uint64_t{0};
  Joined joined_;
  StringTable keys_;
  std::unordered_map<uint32_t, uint32_t> processes_;
  std::unordered_map<RowKey, uint32_t, RowKeyHash> rows_;
  std::vector<uint64_t> metadata_keys_;  // by row
  std::unordered_map<uint64_t, ThreadMetadata> threads_;
};

}  // namespace

Joined JoinBlocks(std::span<EventBlock> blocks) { return Joiner().Run(blocks); }

}  // namespace stepscope
