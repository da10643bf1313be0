#include "read/xplane/space.h"

#include <fmt/format.h>

#include "read/protobuf/wire.h"
#include "read/xplane/xplane_fields.h"
#include "words/quality.h"

namespace stepscope::xplane {

void IdIndex::Set(uint64_t id, uint32_t row) {
  if (id >= kNearLimit) {
    far_[id] = row;
    return;
  }
  if (id >= near_.size()) near_.resize(id + 1, kNone);
  near_[id] = row;
}

uint32_t IdIndex::Far(uint64_t id) const {
  const auto at = far_.find(id);
  return at == far_.end() ? kNone : at->second;
}

namespace {

constexpr SayFrom<kQualityTexts> Say;

class SpaceReader {
 public:
  SpaceReader(std::string_view file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  Space Read() {
    Space space;
    WireReader reader(file_);
    while (reader.Next()) {
      switch (reader.field()) {
        case space_field::kPlanes:
          space.planes.push_back(ReadPlane(reader.Bytes()));
          break;
        case space_field::kErrors:
          space.errors.push_back(reader.Bytes());
          break;
        case space_field::kWarnings:
          space.warnings.push_back(reader.Bytes());
          break;
        case space_field::kHostnames:
          space.hostnames.push_back(reader.Bytes());
          break;
        default:
          ++unknown_fields_;
      }
    }
    if (reader.cut() && reader.field() == space_field::kPlanes) {
      space.planes.push_back(ReadPlane(reader.cut_bytes()));
    }
    ReportFault(reader, file_, Say("quality.file"));
    if (unknown_fields_ > 0) diagnostics_.Add(Diagnostic::kUnknownFields, unknown_fields_);
    return space;
  }

 private:
  Plane ReadPlane(std::string_view bytes) {
    Plane plane;
    WireReader reader(bytes);
    while (reader.Next()) {
      switch (reader.field()) {
        case plane_field::kId:
          break;
        case plane_field::kName:
          plane.name = reader.Bytes();
          break;
        case plane_field::kLines:
          plane.lines.push_back(reader.Bytes());
          break;
        case plane_field::kEventMetadata:
          ReadEventMetadata(reader.Bytes(), plane);
          break;
        case plane_field::kStatMetadata:
          ReadStatMetadata(reader.Bytes(), plane);
          break;
        case plane_field::kStats:
          plane.stats.push_back(reader.Bytes());
          break;
        default:
          ++unknown_fields_;
      }
    }
    if (reader.cut() && reader.field() == plane_field::kLines) {
      plane.lines.push_back(reader.cut_bytes());
    }
    ReportFault(reader, bytes, Say("quality.plane"));
    return plane;
  }

  // The key and the message of a map entry.
  std::string_view ReadEntry(std::string_view bytes, uint64_t& key) {
    std::string_view value;
    WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == map_field::kKey) key = reader.Unsigned();
      if (reader.field() == map_field::kValue) value = reader.Bytes();
    }
    ReportFault(reader, bytes, Say("quality.table-entry"));
    return value;
  }

  void ReadEventMetadata(std::string_view entry, Plane& plane) {
    uint64_t id = 0;
    const std::string_view bytes = ReadEntry(entry, id);
    EventMetadata metadata;
    metadata.id = id;
    WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == event_metadata_field::kName) metadata.name = reader.Bytes();
      if (reader.field() == event_metadata_field::kDisplayName) {
        metadata.display_name = reader.Bytes();
      }
      if (reader.field() == event_metadata_field::kStats) metadata.stats.push_back(reader.Bytes());
    }
    ReportFault(reader, bytes, Say("quality.event-metadata"));
    plane.event_rows.Set(id, static_cast<uint32_t>(plane.events.size()));
    plane.events.push_back(std::move(metadata));
  }

  void ReadStatMetadata(std::string_view entry, Plane& plane) {
    uint64_t id = 0;
    const std::string_view bytes = ReadEntry(entry, id);
    std::string_view name;
    WireReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() == stat_metadata_field::kName) name = reader.Bytes();
    }
    ReportFault(reader, bytes, Say("quality.stat-metadata"));
    plane.stat_rows.Set(id, static_cast<uint32_t>(plane.stat_names.size()));
    plane.stat_names.emplace_back(id, name);
  }

  void ReportFault(const WireReader& reader, std::string_view message, Message what) {
    if (reader.ok()) return;
    const auto offset = static_cast<uint64_t>(message.data() - file_.data()) + reader.offset();
    const bool at_end = message.data() + message.size() == file_.data() + file_.size();
    const auto code = at_end ? Diagnostic::kFileTruncated : Diagnostic::kMalformedProtobuf;
    if (reader.cut()) {
      diagnostics_.Add(code, 1, offset,
                       Say("quality.cut-field", reader.field(), std::move(what),
                           reader.declared_length(), reader.cut_bytes().size()));
    } else {
      diagnostics_.Add(code, 1, offset, Say("quality.no-field", std::move(what)));
    }
  }

  std::string_view file_;
  Diagnostics& diagnostics_;
  uint64_t unknown_fields_ = 0;
};

}  // namespace

Space ReadSpace(std::string_view file, Diagnostics& diagnostics) {
  return SpaceReader(file, diagnostics).Read();
}

}  // namespace stepscope::xplane
