#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "io/byte_source.h"
#include "words/io.h"
#include "words/system_reason.h"

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

bool Changed(const struct stat& before, const struct stat& now) {
  const bool written =
      before.st_mtim.tv_sec != now.st_mtim.tv_sec || before.st_mtim.tv_nsec != now.st_mtim.tv_nsec;
  // A log that grew has its old bytes still.
  return now.st_size < before.st_size || (now.st_size == before.st_size && written);
}

// A copy of a file's bytes as they are now. A map would do without the copy, but another program
// that cuts the file ends the process that touches the map, and one that rewrites it changes bytes
// between two looks at them.
Result<FileBytes> ReadRegular(int file, const struct stat& status, const std::string& path,
                              uint64_t limit) {
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > limit) return TooLarge(path, limit);
  std::shared_ptr<char[]> copy(new char[std::max<uint64_t>(size, 1)]);
  uint64_t filled = 0;
  while (filled < size) {
    const ssize_t got = pread(file, copy.get() + filled, size - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Fail(ErrorCode::kCannotRead, Say("io.cannot-read", SystemReason(errno)), path);
    }
    if (got == 0) break;
    filled += static_cast<uint64_t>(got);
  }
  struct stat now{};
  std::optional<Error> damage;
  if (fstat(file, &now) == 0 && Changed(status, now)) {
    damage =
        Error{ErrorCode::kDamaged, Say("io.changed"), path, filled, Say("io.read-when-finished")};
  }
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
    struct stat status{};
    // Opening a pipe once more would wait for another writer.
    const bool file_is_regular = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    const int file = file_is_regular ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    const bool regular = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    std::optional<Result<FileBytes>> bytes;
    if (regular) bytes = ReadRegular(file, status, path, limit_bytes);
    if (file >= 0) close(file);
    if (bytes) return std::move(*bytes);
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
