#include "tools/data/read/tar_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "io/byte_source.h"

namespace stepscope {
namespace {

constexpr size_t kBlock = 512;

uint64_t Octal(std::string_view field) {
  // Sizes of 8 GiB and more: base 256, marked by the top bit.
  if (!field.empty() && (static_cast<uint8_t>(field[0]) & 0x80) != 0) {
    uint64_t value = 0;
    for (const char c : field.substr(field.size() - 8))
      value = value << 8 | static_cast<uint8_t>(c);
    return value;
  }
  uint64_t value = 0;
  for (const char c : field) {
    if (c >= '0' && c <= '7') value = value * 8 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

std::string_view Text(std::string_view field) { return field.substr(0, field.find('\0')); }

bool ChecksumHolds(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<uint8_t>(header[i]);
  }
  return sum == Octal(header.substr(148, 8));
}

// Blocks of the archive, skipping without reading where the file is plain.
class Blocks {
 public:
  static Result<Blocks> Open(const std::string& path) {
    Result<OpenedSource> source = OpenSource(path);
    if (!source) return std::unexpected(source.error());
    Blocks blocks;
    blocks.compression_ = source->compression;
    if (source->compression == Compression::kNone) {
      blocks.file_ =
          std::shared_ptr<int>(new int(open(path.c_str(), O_RDONLY | O_CLOEXEC)), [](int* file) {
            if (*file >= 0) close(*file);
            delete file;
          });
    } else {
      blocks.source_ = std::move(source->bytes);
    }
    return blocks;
  }

  // Exactly that many bytes, or fewer at the end.
  std::string Read(size_t size) {
    std::string bytes(size, '\0');
    size_t filled = 0;
    while (filled < size) {
      const size_t got = file_ ? ReadFile(std::span(bytes).subspan(filled))
                               : source_->Read(std::span(bytes).subspan(filled)).value_or(0);
      if (got == 0) break;
      filled += got;
    }
    bytes.resize(filled);
    return bytes;
  }
  // False when the archive ends before.
  bool Skip(uint64_t size) {
    if (file_) {
      at_ += size;
      char last;
      return size == 0 || pread(*file_, &last, 1, static_cast<off_t>(at_ - 1)) == 1;
    }
    while (size > 0) {
      const size_t part = std::min<uint64_t>(size, 1 << 20);
      const size_t got = Read(part).size();
      if (got < part) return false;
      size -= got;
    }
    return true;
  }
  Compression compression() const { return compression_; }

 private:
  size_t ReadFile(std::span<char> into) {
    const ssize_t got = pread(*file_, into.data(), into.size(), static_cast<off_t>(at_));
    if (got <= 0) return 0;
    at_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }

  Compression compression_ = Compression::kNone;
  std::shared_ptr<int> file_;
  std::unique_ptr<ByteSource> source_;
  uint64_t at_ = 0;
};

// "12 path=name\n" records of a pax header.
void ReadPax(std::string_view pax, std::string& name, std::optional<uint64_t>& size) {
  while (!pax.empty()) {
    size_t length = 0;
    const auto parsed = std::from_chars(pax.data(), pax.data() + pax.size(), length);
    if (parsed.ec != std::errc() || length == 0 || length > pax.size()) return;
    const std::string_view record = pax.substr(0, length - 1);
    const size_t key = record.find(' ') + 1;
    const size_t equals = record.find('=', key);
    if (key != 0 && equals != std::string_view::npos) {
      const std::string_view value = record.substr(equals + 1);
      if (record.substr(key, equals - key) == "path") name = value;
      if (record.substr(key, equals - key) == "size") {
        uint64_t number = 0;
        std::from_chars(value.data(), value.data() + value.size(), number);
        size = number;
      }
    }
    pax.remove_prefix(length);
  }
}

class Indexer {
 public:
  explicit Indexer(Blocks blocks) : blocks_(std::move(blocks)) {}

  TarIndex Run() {
    while (Member()) {
    }
    switch (blocks_.compression()) {
      case Compression::kNone:
        index_.compression = "none";
        break;
      case Compression::kGzip:
        index_.compression = "gzip";
        break;
      case Compression::kZstd:
        index_.compression = "zstd";
        break;
    }
    return std::move(index_);
  }

 private:
  static constexpr uint64_t kMostNameBytes = 1 << 20;

  bool Member() {
    const std::string header = blocks_.Read(kBlock);
    if (header.size() < kBlock) {
      // An archive ends with a block of zeros; one that simply stops was cut between members.
      index_.cut = true;
      return false;
    }
    const bool zeros = std::ranges::all_of(header, [](char c) { return c == 0; });
    if (zeros) return false;
    if (!ChecksumHolds(header)) {
      index_.damaged_at = offset_;
      return false;
    }
    const std::string_view view = header;
    uint64_t size = Octal(view.substr(124, 12));
    const char type = header[156];
    if (type == 'L' || type == 'x') return LongName(type, size);
    if (pax_size_) size = *pax_size_;
    std::string name(Text(view.substr(0, 100)));
    if (const std::string_view prefix = Text(view.substr(345, 155));
        !prefix.empty() && view.substr(257, 6) == std::string_view("ustar\0", 6)) {
      name = std::string(prefix) + "/" + name;
    }
    if (!long_name_.empty()) name = std::move(long_name_);
    long_name_.clear();
    pax_size_.reset();
    const bool regular = type == '0' || type == 0 || type == '7';
    if (regular) Count(name, size);
    return Advance(size);
  }

  bool LongName(char type, uint64_t size) {
    if (size > kMostNameBytes) return Advance(size);
    const std::string text = blocks_.Read(size);
    index_.cut |= text.size() < size;
    if (type == 'L') {
      long_name_ = Text(text);
    } else {
      ReadPax(text, long_name_, pax_size_);
    }
    offset_ += size;
    return Pad(size);
  }
  bool Advance(uint64_t size) {
    const bool whole = blocks_.Skip(size);
    offset_ += size;
    index_.cut |= !whole;
    return whole && Pad(size);
  }
  bool Pad(uint64_t size) {
    const uint64_t padding = (kBlock - size % kBlock) % kBlock;
    offset_ += kBlock + padding;
    const bool whole = blocks_.Skip(padding);
    index_.cut |= !whole;
    return whole;
  }

  void Count(std::string_view name, uint64_t size) {
    ++index_.members;
    index_.bytes += size;
    index_.least = std::min(index_.least, size);
    index_.most = std::max(index_.most, size);
    const size_t slash = name.rfind('/');
    const size_t dot = name.find('.', slash == std::string_view::npos ? 0 : slash + 1);
    const std::string_view key = name.substr(0, dot);
    constexpr size_t kMostExtensions = 50;
    if (dot != std::string_view::npos && index_.extensions.size() < kMostExtensions) {
      ++index_.extensions[std::string(name.substr(dot + 1))];
    }
    if (key != last_key_) ++index_.samples;
    last_key_ = key;
  }

  Blocks blocks_;
  TarIndex index_;
  uint64_t offset_ = 0;
  std::string long_name_;
  std::optional<uint64_t> pax_size_;
  std::string last_key_;
};

}  // namespace

Result<TarIndex> IndexTar(const std::string& path) {
  Result<Blocks> blocks = Blocks::Open(path);
  if (!blocks) return std::unexpected(blocks.error());
  return Indexer(std::move(*blocks)).Run();
}

}  // namespace stepscope
