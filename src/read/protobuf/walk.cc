#include "read/protobuf/walk.h"

#include <cstring>
#include <string>

namespace stepscope {

void MessageFaults::Record(const WireReader& reader, std::string_view message,
                           std::string_view what) {
  const uint64_t offset = OffsetOf(message) + reader.offset();
  const bool at_end = message.data() + message.size() == file_.data() + file_.size();
  if (reader.cut() && at_end) {
    if (!cut_seen_) diagnostics_.Add(Diagnostic::kFileTruncated, 1, offset, what);
    cut_seen_ = true;
    return;
  }
  if (cut_seen_ && at_end) return;
  diagnostics_.Add(Diagnostic::kMalformedProtobuf, 1, offset, what);
  if (at_end) cut_seen_ = true;
}

void MessageFaults::Dropped(std::string_view row, std::string_view what) {
  diagnostics_.Add(Diagnostic::kMalformedEvent, 1, OffsetOf(row), what);
}

void MessageFaults::Unknown(const WireReader& reader, std::string_view message,
                            std::string_view what) {
  diagnostics_.Add(Diagnostic::kUnknownFields, 1, OffsetOf(message) + reader.offset(),
                   std::string(what) + " field " + std::to_string(reader.field()));
}

void AppendIntegers(const WireReader& reader, std::vector<int64_t>& numbers) {
  if (reader.type() != WireType::kLength) {
    numbers.push_back(reader.Signed());
    return;
  }
  uint64_t value = 0;
  int shift = 0;
  for (const char c : reader.Bytes()) {
    const auto byte = static_cast<uint8_t>(c);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    numbers.push_back(static_cast<int64_t>(value));
    value = 0;
    shift = 0;
  }
}

void AppendFloats(const WireReader& reader, std::vector<float>& numbers) {
  if (reader.type() != WireType::kLength) {
    numbers.push_back(reader.Float());
    return;
  }
  const std::string_view bytes = reader.Bytes();
  for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    numbers.push_back(value);
  }
}

}  // namespace stepscope
