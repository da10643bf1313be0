#include "read/perfetto/packet_walk.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "io/inflate.h"
#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kSmallest = 2;

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t size = std::min(into.size(), bytes_.size() - at_);
    std::memcpy(into.data(), bytes_.data() + at_, size);
    at_ += size;
    return size;
  }
  std::optional<uint64_t> compressed_size() const override { return bytes_.size(); }
  uint64_t compressed_position() const override { return at_; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace

void PacketWalk::Run(std::string_view file, std::deque<std::string>* keep) {
  keep_ = keep;
  ReadPackets(file, true);
}

void PacketWalk::ReadPackets(std::string_view bytes, bool outermost) {
  constexpr uint64_t kPacketsBetweenLooks = 65536;
  uint64_t count = 0;
  WireReader field(bytes);
  while (field.Next()) {
    if (field.field() != kTracePacket) continue;
    const std::string_view packet = field.Bytes();
    // Compressed packets hold nothing else; their field comes first or after the sequence.
    const bool compressed = outermost && packet.size() > kSmallest && HoldsPackets(packet);
    if (!compressed && !visit_(packet)) diagnostics_.Add(Diagnostic::kMalformedProtobuf);
    if (!outermost || ++count % kPacketsBetweenLooks != 0) continue;
    if (options_.stop.stop_requested()) return;
    if (options_.progress) {
      options_.progress(static_cast<double>(field.offset()) / static_cast<double>(bytes.size()),
                        "reading");
    }
  }
  if (field.ok()) return;
  diagnostics_.Add(field.cut() ? Diagnostic::kFileTruncated : Diagnostic::kMalformedProtobuf, 1,
                   outermost ? std::optional(field.offset()) : std::nullopt);
}

bool PacketWalk::HoldsPackets(std::string_view packet) {
  // Two-byte tags of the fields 50 and 133, both length-delimited.
  const auto first = static_cast<unsigned char>(packet[0]);
  const auto second = static_cast<unsigned char>(packet[1]);
  const bool likely =
      (first == 0x92 && second == 0x03) || (first == 0xaa && second == 0x08) || first == 0x50;
  if (!likely) return false;
  bool found = false;
  for (WireReader field(packet); field.Next();) {
    if (field.field() == kPacketDeflated || field.field() == kPacketZstd) {
      found = true;
      Inflate(field.Bytes(), field.field() == kPacketZstd);
    }
  }
  return found;
}

void PacketWalk::Inflate(std::string_view compressed, bool zstd) {
  constexpr size_t kMost = size_t{1} << 30;
  auto source = std::make_unique<MemorySource>(compressed);
  const std::unique_ptr<ByteSource> inflated =
      zstd ? InflateZstd(std::move(source), {}) : InflateZlib(std::move(source), {});
  std::string bytes;
  size_t size = 0;
  while (size < kMost) {
    bytes.resize(std::max<size_t>(bytes.size() * 2, size_t{1} << 16));
    const Result<size_t> got = inflated->Read(std::span(bytes).subspan(size));
    if (!got) diagnostics_.Add(Diagnostic::kGzipDamaged, 1, std::nullopt, got.error().sentence);
    if (!got || *got == 0) break;
    size += *got;
  }
  bytes.resize(std::min(size, bytes.size()));
  if (keep_ != nullptr) {
    ReadPackets(keep_->emplace_back(std::move(bytes)), false);
  } else {
    ReadPackets(bytes, false);
  }
}

}  // namespace stepscope::perfetto
