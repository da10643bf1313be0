#include "read/xplane/stored_event.h"

#include <fmt/format.h>

#include <bit>

#include "io/byte_source.h"
#include "read/xplane/event.h"
#include "read/xplane/line.h"
#include "read/xplane/space.h"
#include "words/read.h"

namespace stepscope::xplane {
namespace {

constexpr SayFrom<kReadTexts> Say;

std::string TextOf(const Plane& plane, const StatValue& value) {
  using Type = StatValue::Type;
  switch (value.type) {
    case Type::kNone:
      return {};
    case Type::kDouble:
      return fmt::format("{}", std::bit_cast<double>(value.bits));
    case Type::kUnsigned:
      return fmt::format("{}", value.bits);
    case Type::kSigned:
      return fmt::format("{}", static_cast<int64_t>(value.bits));
    case Type::kText:
    case Type::kReference:
      return std::string(plane.Text(value));
    case Type::kBytes:
      return fmt::format("({} bytes)", value.text.size());
  }
  return {};
}

void AddStat(const Plane& plane, std::string_view bytes, StoredEvent& into) {
  Stat stat;
  if (!ReadStat(bytes, stat)) return;
  into.stats.emplace_back(plane.StatName(stat.metadata_id), TextOf(plane, stat.value));
}

StoredEvent StatsOf(const Plane& plane, const Line& line, std::string_view event,
                    const char* readable) {
  StoredEvent result;
  result.plane = plane.name;
  result.line = line.name;
  EventHead head;
  if (!ReadHead(event, readable, head)) return result;
  result.offset_ps = head.offset_ps;
  result.duration_ps = head.duration_ps;
  for (WireCursor cursor(head.stats, readable); !cursor.done();) {
    uint64_t tag = 0;
    std::string_view bytes;
    if (!cursor.Varint(tag)) break;
    if (tag == WireTag(event_field::kStats, 2)) {
      if (!cursor.Bytes(bytes)) break;
      AddStat(plane, bytes, result);
    } else if (!cursor.Skip(tag)) {
      break;
    }
  }
  const uint32_t row = plane.event_rows[head.metadata_id];
  if (row == IdIndex::kNone) return result;
  const EventMetadata& metadata = plane.events[row];
  result.name = metadata.name;
  for (const std::string_view bytes : metadata.stats) AddStat(plane, bytes, result);
  return result;
}

}  // namespace

Result<StoredEvent> ReadStoredEvent(const std::string& path, uint64_t ordinal) {
  const Result<FileBytes> file = ReadWhole(path);
  if (!file) return std::unexpected(file.error());
  const std::string_view bytes(file->bytes().data(), file->bytes().size());
  const SpaceBytes in_memory(bytes);
  Diagnostics told_before;
  const Space space = ReadSpace(bytes, told_before);
  uint64_t before = ordinal;
  for (const Plane& plane : space.planes) {
    for (const std::string_view unread : plane.lines) {
      const Line line = ScanLine(unread, in_memory, {}, told_before);
      for (const Chunk& chunk : line.chunks) {
        if (before >= chunk.events) {
          before -= chunk.events;
          continue;
        }
        StoredEvent found;
        const SpaceBytes::Piece piece = in_memory.Load(chunk.bytes);
        ForEachEvent(piece, [&](std::string_view event) {
          if (before-- == 0) found = StatsOf(plane, line, event, piece.readable());
        });
        return found;
      }
    }
  }
  return Fail(ErrorCode::kDamaged, Say("read.event-moved"), path, Say("read.read-again"));
}

}  // namespace stepscope::xplane
