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
bool ReadHeaderField(WireCursor& cursor, Line& line, std::string& display_name) {
  uint64_t tag = 0;
  if (!cursor.Varint(tag) || (tag >> 3) == 0) return false;
  uint64_t value = 0;
  std::string_view text;
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
      if (!cursor.Bytes(text)) return false;
      line.name = text;
      return true;
    case Tag(line_field::kDisplayName, 2):
      if (!cursor.Bytes(text)) return false;
      display_name = text;
      return true;
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

// Cuts a line into chunks.
class LineScanner {
 public:
  LineScanner(std::string_view bytes, const SpaceBytes& file, std::span<const uint64_t> no_spans)
      : bytes_(bytes), file_(file), no_spans_(no_spans) {}

  Line Scan(Diagnostics& diagnostics) {
    bool sound = true;
    size_t window = kBytesPerChunk / 2;
    while (sound && at_ < bytes_.size()) {
      const std::string_view part = bytes_.substr(at_, window);
      const bool is_last = at_ + part.size() == bytes_.size();
      const size_t before = at_;
      sound = ScanPart(part);
      if (sound || is_last) continue;
      // A field may go on behind the window, which then begins with it.
      sound = true;
      if (at_ == before) window *= 2;
    }
    Close();
    if (!display_name_.empty()) line_.name = display_name_;
    if (!sound) {
      const auto offset = static_cast<uint64_t>(bytes_.data() + at_ - file_.all().data());
      const bool at_end = bytes_.data() + bytes_.size() == file_.all().data() + file_.all().size();
      diagnostics.Add(at_end ? Diagnostic::kFileTruncated : Diagnostic::kMalformedProtobuf, 1,
                      offset, Say("quality.in-line"));
    }
    return std::move(line_);
  }

 private:
  // Scans whole fields and moves `at_` behind the last of them. False when the part does not end
  // with one.
  bool ScanPart(std::string_view part) {
    constexpr auto kEventTag = static_cast<char>(Tag(line_field::kEvents, 2));
    const SpaceBytes::Piece piece = file_.Load(part);
    const size_t begin = at_;
    WireCursor cursor(piece.bytes(), piece.readable());
    while (!cursor.done()) {
      if (*cursor.at == kEventTag) {
        ++cursor.at;
        std::string_view event;
        if (!cursor.Bytes(event)) return false;
        if (!no_spans_.empty() && HasOneOf(no_spans_, event, cursor.readable)) ++others_;
        ++events_;
      } else if (!ReadHeaderField(cursor, line_, display_name_)) {
        return false;
      }
      at_ = begin + static_cast<size_t>(cursor.at - piece.bytes().data());
      if (events_ == kEventsPerChunk || at_ - chunk_begin_ >= kBytesPerChunk) Close();
    }
    return true;
  }

  void Close() {
    line_.chunks.push_back(
        {bytes_.substr(chunk_begin_, at_ - chunk_begin_), events_, events_ - others_});
    chunk_begin_ = at_;
    events_ = others_ = 0;
  }

  const std::string_view bytes_;
  const SpaceBytes& file_;
  const std::span<const uint64_t> no_spans_;
  Line line_;
  std::string display_name_;
  size_t at_ = 0;  // behind the last whole field
  size_t chunk_begin_ = 0;
  uint64_t events_ = 0;  // of the chunk
  uint64_t others_ = 0;  // of them no spans
};

}  // namespace

Line ScanLine(std::string_view bytes, const SpaceBytes& file, std::span<const uint64_t> no_spans,
              Diagnostics& diagnostics) {
  return LineScanner(bytes, file, no_spans).Scan(diagnostics);
}

}  // namespace stepscope::xplane
