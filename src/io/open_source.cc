#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "io/byte_source.h"
#include "io/file_source.h"
#include "io/inflate.h"

namespace stepscope {
namespace {

Compression CompressionOf(std::string_view head) {
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

Result<OpenedSource> OpenSource(const std::string& path, std::stop_token stop) {
  Result<std::unique_ptr<ByteSource>> file = OpenFile(path, std::move(stop));
  if (!file) return std::unexpected(std::move(file.error()));
  OpenedSource opened{std::move(*file), Compression::kNone, path};
  opened.compression = CompressionOf(Peek(opened, 4));
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
