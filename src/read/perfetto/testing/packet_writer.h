#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/wire_writer.h"

// Packets for tests, written from Perfetto's published protos.
namespace stepscope::perfetto {

// One message: fields are added in the order of the calls.
class ProtoMessage {
 public:
  ProtoMessage&& Number(uint32_t field, uint64_t value) && {
    WireWriter(bytes_).Varint(field, value);
    return std::move(*this);
  }
  ProtoMessage&& Real(uint32_t field, double value) && {
    WireWriter(bytes_).Double(field, value);
    return std::move(*this);
  }
  ProtoMessage&& Text(uint32_t field, std::string_view text) && {
    WireWriter(bytes_).Bytes(field, text);
    return std::move(*this);
  }
  ProtoMessage&& Fixed(uint32_t field, uint64_t value) && {
    WireWriter(bytes_).Fixed64(field, value);
    return std::move(*this);
  }
  ProtoMessage&& Add(uint32_t field, const ProtoMessage& message) && {
    WireWriter(bytes_).Bytes(field, message.bytes_);
    return std::move(*this);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A packet of the trace.
inline std::string PacketBytes(const ProtoMessage& packet) {
  std::string out;
  WireWriter(out).Bytes(kTracePacket, packet.bytes());
  return out;
}

inline ProtoMessage At(uint64_t time, uint64_t sequence = 1) {
  return ProtoMessage().Number(kPacketTimestamp, time).Number(kPacketSequence, sequence);
}

}  // namespace stepscope::perfetto
