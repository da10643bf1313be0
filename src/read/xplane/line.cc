#include "read/xplane/line.h"

#include <algorithm>

#include "read/protobuf/cursor.h"
#include "read/xplane/xplane_fields.h"
#include "words/quality.h"

namespace stepscope::xplane {
namespace {

constexpr SayFrom<kQualityTexts> Say;

constexpr uint64_t Tag(uint32_t field, uint32_t type) { return field << 3 | type; }

// The fields of a line other than events. False at a fault.
bool ReadHeaderField(WireCursor& cursor, Line& line, std::string_view& display_name) {
  uint64_t tag = 0;
  if (!cursor.Varint(tag) || (tag >> 3) == 0) return false;
  uint64_t value = 0;
  switch (tag) {
    case Tag(line_field::kId, 0):
      if (!cursor.Varint(value)) return false;
      line.id = static_cast<int64_t>(value);
      return true;
    case Tag(line_field::kTimestampNs, 0):
      if (!cursor.Varint(value)) return false;
      line.timestamp_ns = static_cast<int64_t>(value);
      return true;
    case Tag(line_field::kName, 2):
      return cursor.Bytes(line.name);
    case Tag(line_field::kDisplayName, 2):
      return cursor.Bytes(display_name);
    default:
      return cursor.Skip(tag);
  }
}

// Writers put the id of an event first.
bool HasOneOf(std::span<const uint64_t> ids, std::string_view event, const char* readable) {
  constexpr auto kIdTag = static_cast<char>(Tag(event_field::kMetadataId, 0));
  if (event.empty() || event[0] != kIdTag) return false;
  uint64_t id = 0;
  if (!WireCursor(event.substr(1), readable).Varint(id)) return false;
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

Line ScanLine(std::string_view bytes, std::string_view file, std::span<const uint64_t> no_spans,
              Diagnostics& diagnostics) {
  constexpr auto kEventTag = static_cast<char>(Tag(line_field::kEvents, 2));
  Line line;
  std::string_view display_name;
  WireCursor cursor(bytes, file.data() + file.size());
  const char* chunk_begin = cursor.at;
  const char* field_begin = cursor.at;
  uint64_t in_chunk = 0;
  uint64_t others = 0;  // of them no spans
  bool sound = true;
  const auto close = [&](const char* chunk_end) {
    line.chunks.push_back(
        {{chunk_begin, static_cast<size_t>(chunk_end - chunk_begin)}, in_chunk, in_chunk - others});
    chunk_begin = chunk_end;
    in_chunk = others = 0;
  };
  while (!cursor.done()) {
    field_begin = cursor.at;
    if (*cursor.at == kEventTag) {
      ++cursor.at;
      std::string_view event;
      sound = cursor.Bytes(event);
      if (!sound) break;
      if (!no_spans.empty() && HasOneOf(no_spans, event, cursor.readable)) ++others;
      if (++in_chunk == kEventsPerChunk) close(cursor.at);
    } else {
      sound = ReadHeaderField(cursor, line, display_name);
      if (!sound) break;
    }
  }
  close(sound ? cursor.at : field_begin);
  if (!display_name.empty()) line.name = display_name;
  if (!sound) {
    const bool at_end = bytes.data() + bytes.size() == file.data() + file.size();
    diagnostics.Add(at_end ? Diagnostic::kFileTruncated : Diagnostic::kMalformedProtobuf, 1,
                    static_cast<uint64_t>(field_begin - file.data()), Say("quality.in-line"));
  }
  return line;
}

}  // namespace stepscope::xplane
