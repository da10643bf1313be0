#include "tools/timeline/perfetto_packets.h"

#include <charconv>

#include "read/protobuf/wire_writer.h"
#include "tools/timeline/perfetto_fields.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr uint64_t kSequence = 1;

}  // namespace

void Packets::Flush() {
  if (!fault_) {
    if (Result<void> written = sink_.Write(out_); !written) fault_ = written.error();
  }
  out_.clear();
}

Result<void> Packets::Finish() {
  Flush();
  return fault_ ? Result<void>(std::unexpected(*fault_)) : Result<void>();
}

void Packets::Packet(std::optional<int64_t> time, uint32_t field, std::string_view message) {
  std::string packet;
  WireWriter writer(packet);
  if (time) writer.Varint(kPacketTimestamp, static_cast<uint64_t>(*time));
  writer.Varint(kPacketSequence, kSequence);
  writer.Bytes(field, message);
  if (!interned_.empty()) writer.Bytes(kPacketInterned, interned_);
  interned_.clear();
  writer.Varint(kPacketSequenceFlags, first_ ? kStateCleared | kNeedsState : kNeedsState);
  first_ = false;
  WireWriter(out_).Bytes(kTracePacket, packet);
  if (out_.size() > kBlock) Flush();
}

uint64_t Packets::Intern(Strings& strings, uint32_t field, std::string_view text) {
  const auto [found, added] = strings.try_emplace(std::string(text), strings.size() + 1);
  if (added) {
    std::string entry;
    WireWriter writer(entry);
    writer.Varint(kIid, found->second);
    writer.Bytes(kText, text);
    WireWriter(interned_).Bytes(field, entry);
  }
  return found->second;
}

void Packets::Process(uint64_t uuid, int64_t pid, std::string_view name, std::string_view labels) {
  std::string process;
  WireWriter process_writer(process);
  process_writer.Signed(kProcessPid, static_cast<int32_t>(pid));
  process_writer.Bytes(kProcessName, name);
  if (!labels.empty()) process_writer.Bytes(kProcessLabels, labels);
  std::string track;
  WireWriter writer(track);
  writer.Varint(kTrackUuid, uuid);
  writer.Bytes(kTrackProcess, process);
  Packet(std::nullopt, kPacketTrackDescriptor, track);
}

void Packets::Row(uint64_t uuid, uint64_t parent, std::string_view name) {
  std::string track;
  WireWriter writer(track);
  writer.Varint(kTrackUuid, uuid);
  writer.Bytes(kTrackName, name);
  writer.Varint(kTrackParent, parent);
  Packet(std::nullopt, kPacketTrackDescriptor, track);
}

void Packets::Counter(uint64_t uuid, uint64_t parent, std::string_view name) {
  std::string track;
  WireWriter writer(track);
  writer.Varint(kTrackUuid, uuid);
  writer.Bytes(kTrackName, name);
  writer.Varint(kTrackParent, parent);
  writer.Bytes(kTrackCounter, {});
  Packet(std::nullopt, kPacketTrackDescriptor, track);
}

void Packets::Event(uint32_t type, const Slice& slice) {
  std::string event;
  WireWriter writer(event);
  if (!slice.category.empty()) {
    writer.Varint(kEventCategoryIid, Intern(categories_, kInternedCategory, slice.category));
  }
  for (const Annotation& each : slice.annotations) {
    std::string annotation;
    WireWriter annotation_writer(annotation);
    annotation_writer.Varint(kAnnotationNameIid,
                             Intern(annotation_names_, kInternedAnnotationName, each.name));
    int64_t number = 0;
    const char* end = each.json.data() + each.json.size();
    const auto [at, error] = std::from_chars(each.json.data(), end, number);
    if (error == std::errc() && at == end) {
      annotation_writer.Signed(kAnnotationInt, number);
    } else {
      annotation_writer.Bytes(kAnnotationString, each.json);
    }
    writer.Bytes(kEventAnnotation, annotation);
  }
  writer.Varint(kEventType, type);
  if (!slice.name.empty() || type != kSliceEnd) {
    writer.Varint(kEventNameIid, Intern(names_, kInternedName, slice.name));
  }
  writer.Varint(kEventTrack, slice.track);
  for (const uint64_t flow : slice.flows) writer.Fixed64(kEventFlow, flow);
  for (const uint64_t flow : slice.ending_flows) writer.Fixed64(kEventEndingFlow, flow);
  Packet(slice.time, kPacketTrackEvent, event);
}

void Packets::Begin(const Slice& slice) { Event(kSliceBegin, slice); }
void Packets::Instant(const Slice& slice) { Event(kInstant, slice); }

void Packets::End(uint64_t track, int64_t time) {
  std::string event;
  WireWriter writer(event);
  writer.Varint(kEventType, kSliceEnd);
  writer.Varint(kEventTrack, track);
  Packet(time, kPacketTrackEvent, event);
}

void Packets::Value(uint64_t track, int64_t time, int64_t value) {
  std::string event;
  WireWriter writer(event);
  writer.Varint(kEventType, kCounter);
  writer.Varint(kEventTrack, track);
  writer.Signed(kEventCounterValue, value);
  Packet(time, kPacketTrackEvent, event);
}

void Packets::Value(uint64_t track, int64_t time, double value) {
  std::string event;
  WireWriter writer(event);
  writer.Varint(kEventType, kCounter);
  writer.Varint(kEventTrack, track);
  writer.Double(kEventDoubleValue, value);
  Packet(time, kPacketTrackEvent, event);
}

}  // namespace stepscope::perfetto
