#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "read/protobuf/wire_writer.h"
#include "read/xplane/xplane_fields.h"

// Writes small XSpaces for tests, field by field as the profilers do.
namespace stepscope::xplane {

using StatText = std::pair<std::string_view, std::variant<int64_t, std::string_view>>;

class PlaneWriter {
 public:
  explicit PlaneWriter(std::string_view name) : name_(name) {}

  PlaneWriter& Line(int64_t id, std::string_view name, int64_t timestamp_ns) {
    Flush();
    line_open_ = true;
    WireWriter w(line_);
    w.Signed(line_field::kId, id);
    w.Bytes(line_field::kName, name);
    w.Signed(line_field::kTimestampNs, timestamp_ns);
    return *this;
  }
  PlaneWriter& Event(std::string_view name, int64_t offset_ps, int64_t duration_ps,
                     std::initializer_list<StatText> stats = {}) {
    std::string event;
    WireWriter w(event);
    w.Varint(event_field::kMetadataId, IdOf(events_, name));
    w.Signed(event_field::kOffsetPs, offset_ps);
    if (duration_ps != 0) w.Signed(event_field::kDurationPs, duration_ps);
    for (const auto& stat : stats) w.Bytes(event_field::kStats, EncodeStat(stat));
    WireWriter(line_).Bytes(line_field::kEvents, event);
    return *this;
  }
  PlaneWriter& Stat(const StatText& stat) {
    WireWriter(stats_bytes_).Bytes(plane_field::kStats, EncodeStat(stat));
    return *this;
  }
  std::string Finish() {
    Flush();
    std::string plane;
    WireWriter w(plane);
    w.Bytes(plane_field::kName, name_);
    plane += lines_;
    WriteTable(plane_field::kEventMetadata, events_, plane);
    WriteTable(plane_field::kStatMetadata, stats_, plane);
    plane += stats_bytes_;
    return plane;
  }

 private:
  using Table = std::map<std::string, uint64_t, std::less<>>;
  static uint64_t IdOf(Table& table, std::string_view name) {
    return table.emplace(std::string(name), table.size() + 1).first->second;
  }
  std::string EncodeStat(const StatText& stat) {
    std::string bytes;
    WireWriter w(bytes);
    w.Varint(stat_field::kMetadataId, IdOf(stats_, stat.first));
    if (const auto* number = std::get_if<int64_t>(&stat.second)) {
      w.Signed(stat_field::kInt64, *number);
    } else {  // texts are interned, as in real files
      w.Varint(stat_field::kReference, IdOf(stats_, std::get<std::string_view>(stat.second)));
    }
    return bytes;
  }
  static void WriteTable(uint32_t field, const Table& table, std::string& plane) {
    for (const auto& [name, id] : table) {
      std::string metadata, entry;
      WireWriter m(metadata);
      m.Varint(event_metadata_field::kId, id);
      m.Bytes(event_metadata_field::kName, name);
      WireWriter e(entry);
      e.Varint(map_field::kKey, id);
      e.Bytes(map_field::kValue, metadata);
      WireWriter(plane).Bytes(field, entry);
    }
  }
  void Flush() {
    if (line_open_) WireWriter(lines_).Bytes(plane_field::kLines, line_);
    line_open_ = false;
    line_.clear();
  }

  std::string name_, line_, lines_, stats_bytes_;
  bool line_open_ = false;
  Table events_, stats_;
};

inline std::string SpaceOf(std::initializer_list<std::string> planes,
                           std::string_view host = "worker") {
  std::string space;
  WireWriter w(space);
  for (const std::string& plane : planes) w.Bytes(space_field::kPlanes, plane);
  w.Bytes(space_field::kHostnames, host);
  return space;
}

}  // namespace stepscope::xplane
