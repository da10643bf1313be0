#include "io/byte_source.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/file_source.h"
#include "io/inflate.h"

namespace stepscope {
namespace {

// Gives back first what was read ahead to tell the compression.
class Rewound final : public ByteSource {
 public:
  Rewound(std::unique_ptr<ByteSource> rest, std::span<const char> head)
      : rest_(std::move(rest)), head_(head.begin(), head.end()) {}

  Result<size_t> Read(std::span<char> into) override {
    const size_t from_head = std::min(into.size(), head_.size() - used_);
    if (from_head == 0) return rest_->Read(into);
    std::memcpy(into.data(), head_.data() + used_, from_head);
    used_ += from_head;
    const Result<size_t> more = rest_->Read(into.subspan(from_head));
    return from_head + more.value_or(0);
  }
  std::optional<uint64_t> compressed_size() const override { return rest_->compressed_size(); }
  uint64_t compressed_position() const override {
    return rest_->compressed_position() - (head_.size() - used_);
  }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string head_;
  size_t used_ = 0;
};

Compression CompressionOf(std::span<const char> head) {
  const auto starts_with = [&](std::initializer_list<uint8_t> magic) {
    return head.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), head.begin(),
                      [](uint8_t m, char h) { return m == static_cast<uint8_t>(h); });
  };
  if (starts_with({0x1f, 0x8b})) return Compression::kGzip;
  if (starts_with({0x28, 0xb5, 0x2f, 0xfd})) return Compression::kZstd;
  return Compression::kNone;
}

}  // namespace

Result<OpenedSource> OpenSource(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> file = OpenFile(path);
  if (!file) return std::unexpected(std::move(file.error()));
  std::array<char, 4> head{};
  const Result<size_t> got = (*file)->Read(head);
  if (!got) return std::unexpected(got.error());
  const std::span<const char> seen(head.data(), *got);

  OpenedSource opened{std::make_unique<Rewound>(std::move(*file), seen), CompressionOf(seen), path};
  switch (opened.compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      opened.bytes = InflateGzip(std::move(opened.bytes), path);
      break;
    case Compression::kZstd:
      opened.bytes = InflateZstd(std::move(opened.bytes), path);
      break;
  }
  return opened;
}

}  // namespace stepscope
