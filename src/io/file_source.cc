#include "io/file_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "io/input_files.h"
#include "words/io.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

constexpr int kLookForStopMs = 50;

class FileSource final : public ByteSource {
 public:
  FileSource(int descriptor, bool owned, std::string path, std::optional<uint64_t> size,
             std::stop_token stop)
      : descriptor_(descriptor),
        owned_(owned),
        path_(std::move(path)),
        size_(size),
        stop_(std::move(stop)) {}
  ~FileSource() override {
    if (owned_) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(std::span<char> into) override {
    size_t filled = 0;
    while (filled < into.size()) {
      if (!size_ && !WaitForBytes()) {
        return Fail(ErrorCode::kInterrupted, Say("io.stopped"), path_);
      }
      const ssize_t got = read(descriptor_, into.data() + filled, into.size() - filled);
      if (got == 0) break;
      if (got > 0) {
        filled += static_cast<size_t>(got);
      } else if (errno != EINTR && errno != EAGAIN) {
        if (filled > 0) break;  // the fault comes back on the next call
        return Fail(ErrorCode::kCannotRead, Say("io.cannot-read", SystemReason(errno)), path_);
      }
    }
    position_ += filled;
    return filled;
  }
  std::optional<uint64_t> compressed_size() const override { return size_; }
  uint64_t compressed_position() const override { return position_; }

 private:
  // A source that is not a file on a disk may keep its reader waiting. False: the reader was told
  // to stop.
  bool WaitForBytes() const {
    pollfd wanted{descriptor_, POLLIN, 0};
    const int most = stop_.stop_possible() ? kLookForStopMs : -1;
    while (!stop_.stop_requested()) {
      const int ready = poll(&wanted, 1, most);
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // read() tells what is wrong
    }
    return false;
  }

  const int descriptor_;
  const bool owned_;
  const std::string path_;
  const std::optional<uint64_t> size_;
  const std::stop_token stop_;
  uint64_t position_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, std::stop_token stop) {
  if (path == "-") {
    return std::make_unique<FileSource>(STDIN_FILENO, false, path, std::nullopt, std::move(stop));
  }
  if (IsPipeReadBefore(path)) {
    return Fail(ErrorCode::kCannotRead, Say("io.pipe-once"), path, Say("io.pipe-to-file"));
  }
  // Opening a pipe would wait for its writer, so it is opened without waiting; reads wait later.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status{};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    return Fail(ErrorCode::kCannotRead, Say("io.cannot-open", SystemReason(reason)), path,
                reason == ENOENT ? Say("io.check-path") : Message());
  }
  if (S_ISDIR(status.st_mode)) {
    close(descriptor);
    return Fail(ErrorCode::kCannotRead, Say("io.is-directory"), path);
  }
  NoteInput(descriptor);
  std::optional<uint64_t> size;
  if (S_ISREG(status.st_mode)) size = static_cast<uint64_t>(status.st_size);
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::make_unique<FileSource>(descriptor, true, path, size, std::move(stop));
}

}  // namespace stepscope
