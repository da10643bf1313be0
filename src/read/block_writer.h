#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/event_block.h"

namespace stepscope {

// What tells the rows of a format apart: two numbers and the sort of row.
struct RowIdentity {
  int64_t process = 0;
  int64_t thread = 0;
  uint8_t sort = 0;
  friend bool operator==(const RowIdentity&, const RowIdentity&) = default;
};

// Fills an EventBlock event by event, for readers whose formats have rows rather than text.
class BlockWriter {
 public:
  explicit BlockWriter(EventBlock& block) : block_(block) {}

  // Counts one entry of the file; spans and the like that follow belong to it.
  void BeginEvent() { event_ = static_cast<uint32_t>(block_.event_count++); }
  // The entry ends in a diagnostic and is not stored.
  void Diagnose(Diagnostic code, std::string_view text = {}) {
    ++block_.diagnosed;
    block_.diagnostics.Add(code, 1, std::nullopt, text);
  }
  uint32_t event() const { return event_; }

  // The block's number of a track; `describe` fills the key of one that is new.
  template <typename Describe>
  uint32_t Track(const RowIdentity& identity, Describe describe) {
    if (identity == last_ && last_track_ != kNoRow) return last_track_;
    const auto [at, is_new] =
        tracks_.try_emplace(identity, static_cast<uint32_t>(block_.tracks.size()));
    if (is_new) {
      EventBlock::TrackKey key;
      describe(key);
      block_.tracks.push_back(key);
    }
    last_ = identity;
    last_track_ = at->second;
    return at->second;
  }

  // A span of the current entry.
  void Span(int64_t start, int64_t duration, StringId name, uint32_t track, Kind kind,
            uint32_t args = kNoRow) {
    block_.start.push_back(start);
    block_.duration.push_back(duration);
    block_.name.push_back(name);
    block_.track.push_back(track);
    block_.event.push_back(event_);
    block_.args.push_back(args);
    block_.kind.push_back(kind);
    block_.flags.push_back(0);
  }
  uint32_t Args(const OpArgs& args) { return Push(block_.op_args, args); }
  uint32_t Args(const CallArgs& args) { return Push(block_.call_args, args); }
  uint32_t Args(const DeviceArgs& args) { return Push(block_.device_args, args); }
  void Half(int64_t time, StringId name, uint32_t track, Kind kind, bool begin,
            uint32_t args = kNoRow) {
    block_.halves.push_back({time, name, track, event_, args, kind, begin});
  }
  void Instant(int64_t time, StringId name, uint32_t track) {
    block_.instants.push_back({TimeNs{time}, name, TrackId{track}, event_});
  }
  void Counter(int64_t time, double value, StringId name, StringId series, uint32_t track) {
    CounterSample sample;
    sample.time = TimeNs{time};
    sample.value = value;
    sample.name = name;
    sample.series = series;
    block_.counters.emplace_back(sample, track);
  }
  void Flow(uint64_t id, int64_t time, StringId name, uint32_t track, FlowPhase phase,
            bool binds_enclosing) {
    block_.flows.push_back(
        {id, TimeNs{time}, name, TrackId{track}, event_, phase, binds_enclosing});
  }
  void Name(uint32_t track, EventBlock::MetadataKey key, std::string_view text) {
    block_.metadata.push_back({track, key, block_.strings.Intern(text), 0});
  }
  // Text from the file, repaired where it is not UTF-8.
  StringId Intern(std::string_view text);

  EventBlock& block() { return block_; }

 private:
  struct Hash {
    size_t operator()(const RowIdentity& id) const {
      constexpr uint64_t kMix = 0x9e3779b97f4a7c15u;
      uint64_t hash = (static_cast<uint64_t>(id.process) * kMix) ^ static_cast<uint64_t>(id.thread);
      hash = (hash ^ (hash >> 29)) * kMix + id.sort;
      return hash ^ (hash >> 32);
    }
  };
  template <typename Table, typename Row>
  uint32_t Push(Table& table, const Row& row) {
    table.push_back(row);
    return static_cast<uint32_t>(table.size() - 1);
  }

  EventBlock& block_;
  uint32_t event_ = 0;
  std::unordered_map<RowIdentity, uint32_t, Hash> tracks_;
  RowIdentity last_;
  uint32_t last_track_ = kNoRow;
};

}  // namespace stepscope
