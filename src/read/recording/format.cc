#include "read/recording/format.h"

#include <cstring>

#include "io/crc32.h"

namespace stepscope::recording {

template <typename T>
T Fields::Take() {
  T value{};
  if (bytes_.size() < sizeof(T)) {
    good_ = false;
    bytes_ = {};
    return value;
  }
  std::memcpy(&value, bytes_.data(), sizeof(T));
  bytes_.remove_prefix(sizeof(T));
  return value;
}

template uint8_t Fields::Take<uint8_t>();
template uint16_t Fields::Take<uint16_t>();
template uint32_t Fields::Take<uint32_t>();
template int32_t Fields::Take<int32_t>();
template uint64_t Fields::Take<uint64_t>();
template int64_t Fields::Take<int64_t>();
template double Fields::Take<double>();

std::string_view Fields::Text(size_t length) {
  if (bytes_.size() < length) {
    good_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view text = bytes_.substr(0, length);
  bytes_.remove_prefix(length);
  return text;
}

BlockScanner::BlockScanner(std::string_view file) : file_(file) {
  has_header_ = file.starts_with(kFileMagic);
  at_ = has_header_ ? std::min(kFileHeaderBytes, file.size()) : 0;
}

std::optional<Block> BlockScanner::BlockAt(size_t at) const {
  const std::string_view rest = file_.substr(at);
  if (rest.size() < kBlockHeaderBytes || !rest.starts_with(kBlockMagic)) return std::nullopt;
  Fields header(rest.substr(kBlockMagic.size()));
  const auto kind = header.Take<uint32_t>();
  const auto stored = header.Take<uint32_t>();
  header.Take<uint32_t>();  // raw size: the same without compression
  Block block;
  block.type = static_cast<BlockType>(kind & 0xff);
  const bool plain = ((kind >> 8) & 0xff) == 0;
  block.first_ns = header.Take<int64_t>();
  block.last_ns = header.Take<int64_t>();
  block.rows = header.Take<uint32_t>();
  const auto crc = header.Take<uint32_t>();
  if (!plain || stored > kMaxBlockBytes || rest.size() - kBlockHeaderBytes < stored) {
    return std::nullopt;
  }
  block.payload = rest.substr(kBlockHeaderBytes, stored);
  block.offset = at;
  if (Crc32(block.payload, Crc32(rest.substr(4, 32))) != crc) return std::nullopt;
  return block;
}

std::optional<Block> BlockScanner::Next() {
  while (at_ < file_.size()) {
    if (std::optional<Block> block = BlockAt(at_)) {
      at_ += kBlockHeaderBytes + block->payload.size();
      return block;
    }
    if (!first_loss_) first_loss_ = at_;
    const size_t next = file_.find(kBlockMagic, at_ + 1);
    const size_t to = next == std::string_view::npos ? file_.size() : next;
    lost_ += to - at_;
    at_ = to;
  }
  return std::nullopt;
}

}  // namespace stepscope::recording
