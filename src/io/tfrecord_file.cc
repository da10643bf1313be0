#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "io/file_source.h"
#include "io/inflate.h"
#include "io/tfrecord.h"

namespace stepscope {
namespace {

RecordCompression CompressionOf(std::string_view first) {
  if (HoldsRecordHeader(first) || first.size() < 3) return RecordCompression::kNone;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(first[i]); };
  if (byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) return RecordCompression::kGzip;
  // RFC 1950: deflate with a window of up to 32 KiB, and a header that is a multiple of 31.
  const bool zlib = (byte(0) & 0x0f) == 8 && byte(0) < 0x80 && (byte(0) * 256 + byte(1)) % 31 == 0;
  return zlib ? RecordCompression::kZlib : RecordCompression::kNone;
}

std::string FirstBytes(const std::string& path) {
  std::array<char, kRecordHeaderBytes> first;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, first.data(), first.size());
  close(file);
  return got > 0 ? std::string(first.data(), static_cast<size_t>(got)) : std::string();
}

}  // namespace

std::string_view NameOf(RecordCompression compression) {
  switch (compression) {
    case RecordCompression::kNone:
      return "none";
    case RecordCompression::kGzip:
      return "gzip";
    case RecordCompression::kZlib:
      return "zlib";
  }
  std::unreachable();
}

Result<RecordFile> OpenRecordFile(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> file = OpenFile(path);
  if (!file) return std::unexpected(file.error());
  RecordFile opened{std::move(*file), CompressionOf(FirstBytes(path)), 0};
  opened.size_on_disk = opened.bytes->compressed_size().value_or(0);
  switch (opened.compression) {
    case RecordCompression::kNone:
      break;
    case RecordCompression::kGzip:
      opened.bytes = InflateGzip(std::move(opened.bytes), path);
      break;
    case RecordCompression::kZlib:
      opened.bytes = InflateZlib(std::move(opened.bytes), path);
      break;
  }
  return opened;
}

}  // namespace stepscope
