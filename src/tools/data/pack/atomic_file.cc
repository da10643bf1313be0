#include "tools/data/pack/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "words/system_reason.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

constexpr std::string_view kMark = ".stepscope-tmp-";

std::unexpected<Error> CannotWrite(const std::string& path) {
  return Fail(ErrorCode::kCannotWrite, Say("data.cannot-write", SystemReason(errno)), path,
              Say("data.make-room"));
}

}  // namespace

bool IsTemporaryName(std::string_view name) { return name.contains(kMark); }

Result<AtomicFile> AtomicFile::Create(const std::string& path, Overwrite overwrite) {
  struct stat status{};
  if (overwrite == Overwrite::kNever && lstat(path.c_str(), &status) == 0) {
    return Fail(ErrorCode::kCannotWrite, Say("data.exists"), path, Say("data.other-name"));
  }
  static std::atomic<uint64_t> serial = 0;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  std::string temporary = fmt::format("{}.{}{}{}-{}", folder, name, kMark, getpid(), ++serial);
  const int file = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return CannotWrite(path);
  return AtomicFile(file, path, std::move(temporary), overwrite);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      overwrite_(other.overwrite_),
      size_(other.size_) {}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

Result<void> AtomicFile::WriteAt(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return CannotWrite(path_);
    bytes.remove_prefix(static_cast<size_t>(wrote));
    offset += static_cast<uint64_t>(wrote);
  }
  return {};
}

Result<void> AtomicFile::Append(std::string_view bytes) {
  const Result<void> written = WriteAt(size_, bytes);
  if (written) size_ += bytes.size();
  return written;
}

Result<void> AtomicFile::Commit() {
  // link() refuses to replace what appeared meanwhile; rename() replaces in one step.
  const bool named = overwrite_ == Overwrite::kAllowed
                         ? rename(temporary_.c_str(), path_.c_str()) == 0
                         : link(temporary_.c_str(), path_.c_str()) == 0 ||
                               (errno != EEXIST && rename(temporary_.c_str(), path_.c_str()) == 0);
  if (!named) return CannotWrite(path_);
  if (overwrite_ == Overwrite::kNever) unlink(temporary_.c_str());
  const bool closed = close(std::exchange(file_, -1)) == 0;
  return closed ? Result<void>() : CannotWrite(path_);
}

}  // namespace stepscope
