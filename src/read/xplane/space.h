#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "read/xplane/stat.h"

// The skeleton of an XSpace: planes, their lines as unread bytes, and the tables that events refer
// to. Everything is a view into the file. Cost: the number of planes, lines and table entries, not
// events.
namespace stepscope::xplane {

// Ids of a plane's table to rows. Writers number from 1 upwards, so ids index an array; far ids of
// odd or damaged files go to a map, so that no id makes the array large.
class IdIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  void Set(uint64_t id, uint32_t row);
  uint32_t operator[](uint64_t id) const {
    if (id < near_.size()) return near_[id];
    return far_.empty() ? kNone : Far(id);
  }

 private:
  static constexpr uint64_t kNearLimit = uint64_t{1} << 20;
  uint32_t Far(uint64_t id) const;
  std::vector<uint32_t> near_;
  std::unordered_map<uint64_t, uint32_t> far_;
};

struct EventMetadata {
  uint64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;  // XStats, unread
};

struct Plane {
  std::string_view name;
  std::vector<std::string_view> lines;  // XLines, unread
  std::vector<EventMetadata> events;
  std::vector<std::pair<uint64_t, std::string_view>> stat_names;  // metadata id, name
  IdIndex event_rows;                                             // metadata id → row of events
  IdIndex stat_rows;                                              // metadata id → row of stat_names
  std::vector<std::string_view> stats;                            // XStats, unread

  std::string_view StatName(uint64_t id) const {
    const uint32_t row = stat_rows[id];
    return row == IdIndex::kNone ? std::string_view{} : stat_names[row].second;
  }
  // The text of a value, through stat_metadata when it is a reference.
  std::string_view Text(const StatValue& value) const {
    return value.type == StatValue::Type::kReference ? StatName(value.bits) : value.text;
  }
  // Calls body(name, value) for each of the XStats.
  template <typename Body>
  void ForEachStat(const std::vector<std::string_view>& unread, Body&& body) const {
    for (const std::string_view bytes : unread) {
      Stat stat;
      if (ReadStat(bytes, stat)) body(StatName(stat.metadata_id), stat.value);
    }
  }
};

struct Space {
  std::vector<Plane> planes;
  std::vector<std::string_view> errors;
  std::vector<std::string_view> warnings;
  std::vector<std::string_view> hostnames;
};

// Reads as far as the bytes are sound. A cut at the end of the file gives what came before it and
// kFileTruncated; a fault inside a message loses the rest of that message and gives
// kMalformedProtobuf; both with the byte offset.
Space ReadSpace(std::string_view file, Diagnostics& diagnostics);

}  // namespace stepscope::xplane
