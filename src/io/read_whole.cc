#include <algorithm>
#include <cstdlib>

#include "io/byte_source.h"
#include "io/regular_file.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

std::unexpected<Error> TooLarge(const std::string& path, uint64_t limit) {
  return Fail(ErrorCode::kCannotRead, Say("io.too-large", limit >> 20), path, Say("io.meant"));
}

// Room that grows by remapping, so that no byte is copied twice for large contents.
struct Growing {
  char* data = nullptr;
  size_t size = 0;
  size_t room = 0;

  bool Grow(uint64_t limit) {
    const size_t bigger = std::min<uint64_t>(std::max<size_t>(room * 2, size_t{1} << 20), limit);
    auto* moved = static_cast<char*>(std::realloc(data, bigger));
    if (moved == nullptr) return false;
    data = moved;
    room = bigger;
    return true;
  }
};

// A copy of a file's bytes as they are now.
Result<FileBytes> ReadRegular(const RegularFile& file, const std::string& path, uint64_t limit) {
  const uint64_t size = file.size();
  if (size > limit) return TooLarge(path, limit);
  std::shared_ptr<char[]> copy(new char[std::max<uint64_t>(size, 1)]);
  const size_t filled = file.Read(0, {copy.get(), size});
  std::optional<Error> damage = file.Damage();
  if (damage && damage->code == ErrorCode::kCannotRead) return std::unexpected(std::move(*damage));
  return FileBytes({copy.get(), filled}, copy, std::move(damage));
}

}  // namespace

Result<FileBytes> ReadWhole(const std::string& path, uint64_t limit_bytes) {
  Result<OpenedSource> opened = OpenSource(path);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return ReadWhole(std::move(*opened), limit_bytes);
}

Result<FileBytes> ReadWhole(OpenedSource source, uint64_t limit_bytes) {
  const std::string& path = source.path;
  if (source.compression == Compression::kNone && path != "-") {
    if (const auto file = RegularFile::Open(path)) return ReadRegular(*file, path, limit_bytes);
  }
  Growing content;
  std::optional<Error> damage;
  const auto owner = [&] {
    return std::shared_ptr<const void>(content.data, [](void* p) { std::free(p); });
  };
  while (true) {
    if (content.size == content.room &&
        (content.room == limit_bytes || !content.Grow(limit_bytes))) {
      const auto freed = owner();
      return TooLarge(path, limit_bytes);
    }
    const Result<size_t> got =
        source.bytes->Read({content.data + content.size, content.room - content.size});
    if (!got) {
      damage = got.error();
      break;
    }
    if (*got == 0) break;
    content.size += *got;
  }
  return FileBytes({content.data, content.size}, owner(), std::move(damage));
}

}  // namespace stepscope
