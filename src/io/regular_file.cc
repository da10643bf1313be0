#include "io/regular_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "words/io.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

bool Changed(const struct stat& before, const struct stat& now) {
  const bool written =
      before.st_mtim.tv_sec != now.st_mtim.tv_sec || before.st_mtim.tv_nsec != now.st_mtim.tv_nsec;
  // A log that grew has its old bytes still.
  return now.st_size < before.st_size || (now.st_size == before.st_size && written);
}

}  // namespace

std::unique_ptr<RegularFile> RegularFile::Open(const std::string& path) {
  struct stat status{};
  // Opening a pipe would wait for its writer.
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<RegularFile>(new RegularFile(descriptor, status, path));
}

RegularFile::~RegularFile() { close(descriptor_); }

size_t RegularFile::Read(uint64_t offset, std::span<char> into) const {
  size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = pread(descriptor_, into.data() + filled, into.size() - filled,
                              static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failed_ = errno;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  std::fill(into.begin() + static_cast<ptrdiff_t>(filled), into.end(), '\0');
  return filled;
}

std::optional<Error> RegularFile::Damage() const {
  if (const int reason = failed_; reason != 0) {
    return Error{
        ErrorCode::kCannotRead, Say("io.cannot-read", SystemReason(reason)), path_, {}, {}};
  }
  struct stat now{};
  if (fstat(descriptor_, &now) != 0 || !Changed(opened_, now)) return std::nullopt;
  const uint64_t kept = std::min(size(), static_cast<uint64_t>(now.st_size));
  return Error{ErrorCode::kDamaged, Say("io.changed"), path_, kept, Say("io.read-when-finished")};
}

}  // namespace stepscope
