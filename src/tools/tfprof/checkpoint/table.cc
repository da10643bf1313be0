#include "tools/tfprof/checkpoint/table.h"

#include <cstring>
#include <optional>

#include "io/crc32c.h"

namespace stepscope {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
constexpr size_t kFooterSize = 48;
constexpr size_t kTrailerSize = 5;  // compression type, masked CRC
constexpr char kNoCompression = 0;

using Rows = std::vector<std::pair<std::string, std::string>>;

std::unexpected<Error> Damaged(std::string sentence, const std::string& path, uint64_t offset) {
  Error error{ErrorCode::kDamaged, std::move(sentence), path, offset,
              "save the checkpoint again, or take another one"};
  return std::unexpected(std::move(error));
}

uint32_t Fixed32(std::string_view bytes) {
  uint32_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Takes a varint off the front.
std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

struct Handle {
  uint64_t offset = 0;
  uint64_t size = 0;
};
std::optional<Handle> TakeHandle(std::string_view& bytes) {
  const std::optional<uint64_t> offset = TakeVarint(bytes);
  const std::optional<uint64_t> size = TakeVarint(bytes);
  if (!offset || !size) return std::nullopt;
  return Handle{*offset, *size};
}

Result<std::string_view> BlockAt(std::string_view file, Handle handle, const std::string& path) {
  if (handle.offset > file.size() || handle.size > file.size() - handle.offset ||
      file.size() - handle.offset - handle.size < kTrailerSize) {
    return Damaged("a block of the checkpoint's index lies outside of the file", path,
                   handle.offset);
  }
  const std::string_view with_type = file.substr(handle.offset, handle.size + 1);
  const uint32_t stored = Fixed32(file.substr(handle.offset + handle.size + 1, 4));
  if (MaskCrc(Crc32c(with_type)) != stored) {
    return Damaged("a block of the checkpoint's index does not match its checksum", path,
                   handle.offset);
  }
  if (with_type.back() != kNoCompression) {
    return Fail(ErrorCode::kUnsupported, "the checkpoint's index is compressed with Snappy", path,
                "save it with TensorFlow's own Saver, which does not compress");
  }
  return with_type.substr(0, handle.size);
}

// Adds the block's rows. A key shares a prefix with the one before it; the restart points at the
// end are for searching and not needed here.
Result<void> ReadBlock(std::string_view block, const std::string& path, uint64_t offset,
                       Rows& rows) {
  const auto fault = [&] {
    return Damaged("a block of the checkpoint's index is damaged", path, offset);
  };
  if (block.size() < sizeof(uint32_t)) return fault();
  const uint64_t restarts = Fixed32(block.substr(block.size() - sizeof(uint32_t)));
  const uint64_t tail = (restarts + 1) * sizeof(uint32_t);
  if (tail > block.size()) return fault();
  std::string_view rest = block.substr(0, block.size() - tail);
  std::string key;
  while (!rest.empty()) {
    const std::optional<uint64_t> shared = TakeVarint(rest);
    const std::optional<uint64_t> own = TakeVarint(rest);
    const std::optional<uint64_t> value = TakeVarint(rest);
    if (!shared || !own || !value || *shared > key.size() || *own > rest.size() ||
        *value > rest.size() - *own) {
      return fault();
    }
    key.resize(*shared);
    key.append(rest.substr(0, *own));
    rows.emplace_back(key, rest.substr(*own, *value));
    rest.remove_prefix(*own + *value);
  }
  return {};
}

}  // namespace

Result<Rows> ReadTable(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kFooterSize) return Damaged("the checkpoint's index is cut short", path, 0);
  std::string_view footer = bytes.substr(bytes.size() - kFooterSize);
  uint64_t magic;
  std::memcpy(&magic, footer.data() + kFooterSize - sizeof magic, sizeof magic);
  if (magic != kMagic) {
    return Damaged("this is not a checkpoint index: its last bytes are not those of a table", path,
                   bytes.size() - sizeof magic);
  }
  const std::optional<Handle> meta = TakeHandle(footer);
  const std::optional<Handle> index = TakeHandle(footer);
  if (!meta || !index) {
    return Damaged("the footer of the checkpoint's index is damaged", path,
                   bytes.size() - kFooterSize);
  }
  const Result<std::string_view> index_block = BlockAt(bytes, *index, path);
  if (!index_block) return std::unexpected(index_block.error());
  Rows blocks;
  if (Result<void> read = ReadBlock(*index_block, path, index->offset, blocks); !read) {
    return std::unexpected(std::move(read.error()));
  }
  Rows rows;
  for (const auto& [last_key, encoded] : blocks) {
    std::string_view handle_bytes = encoded;
    const std::optional<Handle> handle = TakeHandle(handle_bytes);
    if (!handle) return Damaged("the checkpoint's index is damaged", path, index->offset);
    const Result<std::string_view> block = BlockAt(bytes, *handle, path);
    if (!block) return std::unexpected(block.error());
    if (Result<void> read = ReadBlock(*block, path, handle->offset, rows); !read) {
      return std::unexpected(std::move(read.error()));
    }
  }
  return rows;
}

}  // namespace stepscope
