#pragma once

#include <cstdint>
#include <string_view>

#include "read/protobuf/cursor.h"
#include "read/xplane/line.h"
#include "read/xplane/xplane_fields.h"

// The parts of an XEvent that every event has; inline, because they run once an event.
namespace stepscope::xplane {

struct EventHead {
  uint64_t metadata_id = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  std::string_view stats;   // from the first stat to the end of the event
  bool aggregated = false;  // num_occurrences instead of a time
};

constexpr uint64_t WireTag(uint32_t field, uint32_t type) { return field << 3 | type; }

// The usual layout: id, offset, duration unless it is 0, then stats or nothing, in this order.
// False when the event has another layout.
inline bool ReadPlainHead(std::string_view bytes, const char* readable, EventHead& head) {
  constexpr auto kId = static_cast<char>(WireTag(event_field::kMetadataId, 0));
  constexpr auto kOffset = static_cast<char>(WireTag(event_field::kOffsetPs, 0));
  constexpr auto kDuration = static_cast<char>(WireTag(event_field::kDurationPs, 0));
  constexpr auto kStats = static_cast<char>(WireTag(event_field::kStats, 2));
  WireCursor cursor(bytes, readable);
  uint64_t value = 0;
  if (cursor.done() || *cursor.at++ != kId || !cursor.LongVarint(head.metadata_id)) return false;
  if (cursor.done() || *cursor.at++ != kOffset || !cursor.LongVarint(value)) return false;
  head.offset_ps = static_cast<int64_t>(value);
  if (cursor.done()) return true;
  if (*cursor.at == kDuration) {
    ++cursor.at;
    if (!cursor.LongVarint(value)) return false;
    head.duration_ps = static_cast<int64_t>(value);
    if (cursor.done()) return true;
    head.stats = {cursor.at, cursor.left()};
    return *cursor.at == kStats;
  }
  head.stats = {cursor.at, cursor.left()};
  for (std::string_view stat; !cursor.done();) {  // a duration may still come
    if (*cursor.at++ != kStats || !cursor.Bytes(stat)) return false;
  }
  return true;
}

// Everything but the stats. False when the event is malformed.
inline bool ReadHead(std::string_view bytes, const char* readable, EventHead& head) {
  bool timed = false, lasts = false;
  for (WireCursor cursor(bytes, readable); !cursor.done();) {
    const char* field = cursor.at;
    uint64_t tag = 0, value = 0;
    if (!cursor.Varint(tag)) return false;
    switch (tag) {
      case WireTag(event_field::kMetadataId, 0):
        if (!cursor.Varint(head.metadata_id)) return false;
        break;
      case WireTag(event_field::kOffsetPs, 0):
        if (!cursor.Varint(value)) return false;
        head.offset_ps = static_cast<int64_t>(value);
        timed = true;
        break;
      case WireTag(event_field::kDurationPs, 0):
        if (!cursor.Varint(value)) return false;
        head.duration_ps = static_cast<int64_t>(value);
        lasts = true;
        break;
      case WireTag(event_field::kStats, 2):
        if (head.stats.empty()) {
          head.stats = {field, static_cast<size_t>(cursor.end - field)};
          if (timed && lasts) return true;  // writers put stats last
        }
        if (!cursor.Skip(tag)) return false;
        break;
      case WireTag(event_field::kNumOccurrences, 0):
        if (!cursor.Varint(value)) return false;
        head.aggregated = true;
        break;
      default:
        if ((tag >> 3) == 0 || !cursor.Skip(tag)) return false;
    }
  }
  return true;
}

// Whole ns from ps, half up, below zero too.
constexpr int64_t RoundToNs(int64_t ps) {
  const int64_t shifted = ps + 500;
  return shifted / 1000 - (shifted % 1000 < 0 ? 1 : 0);
}

struct EventTime {
  int64_t start = 0;
  int64_t duration = 0;
};

// Start and end are each rounded, so that a child never sticks out of its parent; a duration is the
// difference of the two and may differ by 1 ns from the rounded duration. False when the event has
// no usable time.
inline bool PlaceInTime(const EventHead& head, int64_t line_ns, EventTime& time) {
  constexpr int64_t kFarthest = int64_t{1} << 61;
  const auto far = [](int64_t value) { return value > kFarthest || value < -kFarthest; };
  if (head.aggregated || far(head.offset_ps) || far(line_ns)) return false;
  const int64_t start = RoundToNs(head.offset_ps);
  time.start = line_ns + start;
  time.duration = far(head.duration_ps) ? head.duration_ps / 1000
                                        : RoundToNs(head.offset_ps + head.duration_ps) - start;
  return true;
}

// Calls body(bytes) for each XEvent of a loaded chunk.
template <typename Body>
void ForEachEvent(const SpaceBytes::Piece& chunk, Body&& body) {
  constexpr auto kEventTag = static_cast<char>(WireTag(line_field::kEvents, 2));
  for (WireCursor cursor(chunk.bytes(), chunk.readable()); !cursor.done();) {
    if (*cursor.at == kEventTag) {
      ++cursor.at;
      std::string_view event;
      if (!cursor.Bytes(event)) return;  // the file was changed since the scan
      body(event);
    } else {
      uint64_t tag = 0;
      if (!cursor.Varint(tag) || !cursor.Skip(tag)) return;
    }
  }
}

}  // namespace stepscope::xplane
