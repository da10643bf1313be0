#include "read/perfetto/packet_reader.h"

#include <fmt/format.h>

#include "read/perfetto/packet_fields.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
namespace {

bool IsPayload(uint32_t field) {
  switch (field) {
    case kPacketFtrace:
    case kPacketProcessTree:
    case kPacketClockSnapshot:
    case kPacketTrackEvent:
    case kPacketThreadDescriptor:
    case kPacketGpuCounters:
    case kPacketRenderStage:
    case kPacketStreamingProfile:
    case kPacketTrackDescriptor:
    case kPacketPerfSample:
      return true;
    default:
      return false;
  }
}

bool ParsePacket(std::string_view bytes, Packet& packet) {
  PacketFields field(bytes);
  while (field.Next()) {
    switch (field.field()) {
      case kPacketTimestamp:
        packet.timestamp = field.Unsigned();
        break;
      case kPacketSequence:
        packet.sequence = static_cast<uint32_t>(field.Unsigned());
        break;
      case kPacketInterned:
        packet.interned = field.Bytes();
        break;
      case kPacketSequenceFlags:
        packet.flags |= field.Unsigned();
        break;
      case kPacketStateCleared:
        if (field.Bool()) packet.flags |= kStateCleared;
        break;
      case kPacketDropped:
        packet.dropped = field.Bool();
        break;
      case kPacketClock:
        packet.clock = static_cast<uint32_t>(field.Unsigned());
        break;
      case kPacketDefaults:
        packet.defaults = field.Bytes();
        break;
      default:
        if (IsPayload(field.field()) && field.type() == WireType::kLength) {
          packet.kind = field.field();
          packet.payload = field.Bytes();
        }
        break;
    }
  }
  return field.ok();
}

}  // namespace

bool PacketReader::Read(std::string_view bytes) {
  if (!in_order()) return true;
  Packet packet;
  const bool whole = ParsePacket(bytes, packet);
  if (last_sequence_ == nullptr || last_sequence_->id != packet.sequence) {
    last_sequence_ = &sequences_[packet.sequence];
    last_sequence_->id = packet.sequence;
  }
  Sequence& sequence = *last_sequence_;
  if (packet.dropped && sequence.has_default_track) ++lost_packets_;
  if (packet.dropped) sequence.lost = true;
  if ((packet.flags & kStateCleared) != 0) sequence.Clear();
  if (!packet.interned.empty()) sequence.ReadInterned(packet.interned, out_);
  if (!packet.defaults.empty()) sequence.ReadDefaults(packet.defaults);
  if (packet.kind != 0) ReadPayload(packet, sequence);
  return whole;
}

std::optional<int64_t> PacketReader::TimeOf(const Packet& packet, const Sequence& sequence) {
  if (!packet.timestamp) return std::nullopt;
  const uint32_t clock = packet.clock.value_or(sequence.default_clock);
  return clocks_.ToTrace(packet.sequence, clock, *packet.timestamp);
}

void PacketReader::ReadPayload(const Packet& packet, Sequence& sequence) {
  switch (packet.kind) {
    case kPacketTrackEvent:
      return ReadTrackEvent(packet, sequence);
    case kPacketTrackDescriptor:
      return tracks_.AddDescriptor(packet.payload);
    case kPacketClockSnapshot:
      return clocks_.AddSnapshot(packet.sequence, packet.payload);
    case kPacketProcessTree:
      return tracks_.AddProcessTree(packet.payload);
    case kPacketThreadDescriptor:
      return ReadThreadDescriptor(packet.payload, sequence);
    case kPacketRenderStage:
      return ReadRenderStage(packet, sequence);
    case kPacketGpuCounters:
      return ReadGpuCounters(packet, sequence);
    case kPacketFtrace:
      return ReadFtrace(packet.payload);
    default:
      // Samples of stacks: a timeline of spans has no place for them yet.
      out_.BeginEvent();
      return out_.Diagnose(Diagnostic::kUnknownFields, packet.kind == kPacketPerfSample
                                                           ? "perf_sample"
                                                           : "streaming_profile_packet");
  }
}

void PacketReader::ReadThreadDescriptor(std::string_view message, Sequence& sequence) {
  std::string_view name;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kThreadPid) sequence.pid = field.Signed();
    if (field.field() == kThreadTid) sequence.tid = field.Signed();
    if (field.field() == kThreadName) name = field.Bytes();
    if (field.field() == kThreadReferenceUs &&
        __builtin_mul_overflow(field.Signed(), int64_t{1000}, &sequence.reference_ns)) {
      sequence.reference_ns = 0;
    }
  }
  sequence.has_thread = true;
  if (!name.empty()) tracks_.NameThread(sequence.pid, sequence.tid, name);
}

void PacketReader::Finish() {
  open_slices_.Finish();
  tracks_.Finish();
  flows_.Finish(out_);
}

}  // namespace stepscope::perfetto
