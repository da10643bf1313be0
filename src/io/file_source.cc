#include "io/file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stepscope {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, bool owned, std::string path, std::optional<uint64_t> size)
      : descriptor_(descriptor), owned_(owned), path_(std::move(path)), size_(size) {}
  ~FileSource() override {
    if (owned_) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(std::span<char> into) override {
    size_t filled = 0;
    while (filled < into.size()) {
      const ssize_t got = read(descriptor_, into.data() + filled, into.size() - filled);
      if (got == 0) break;
      if (got > 0) {
        filled += static_cast<size_t>(got);
      } else if (errno != EINTR) {
        if (filled > 0) break;  // the fault comes back on the next call
        return Fail(ErrorCode::kCannotRead, std::string("Cannot read: ") + std::strerror(errno),
                    path_);
      }
    }
    position_ += filled;
    return filled;
  }
  std::optional<uint64_t> compressed_size() const override { return size_; }
  uint64_t compressed_position() const override { return position_; }

 private:
  const int descriptor_;
  const bool owned_;
  const std::string path_;
  const std::optional<uint64_t> size_;
  uint64_t position_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(STDIN_FILENO, false, path, std::nullopt);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    return Fail(ErrorCode::kCannotRead, std::string("Cannot open: ") + std::strerror(reason), path,
                reason == ENOENT ? "Check the path." : "");
  }
  if (S_ISDIR(status.st_mode)) {
    close(descriptor);
    return Fail(ErrorCode::kCannotRead, "This is a directory, not a file.", path);
  }
  std::optional<uint64_t> size;
  if (S_ISREG(status.st_mode)) size = static_cast<uint64_t>(status.st_size);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<FileSource>(descriptor, true, path, size);
}

}  // namespace stepscope
