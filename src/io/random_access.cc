#include "io/random_access.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "io/byte_source.h"
#include "io/input_files.h"
#include "words/io.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

// A file descriptor that several readers share: each read names its offset.
class SharedFile {
 public:
  SharedFile(int descriptor, std::string path, uint64_t size)
      : descriptor_(descriptor), path_(std::move(path)), size_(size) {}
  ~SharedFile() { close(descriptor_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  Result<size_t> Read(uint64_t offset, std::span<char> into) const {
    size_t filled = 0;
    while (filled < into.size()) {
      const ssize_t got = pread(descriptor_, into.data() + filled, into.size() - filled,
                                static_cast<off_t>(offset + filled));
      if (got == 0) break;
      if (got > 0) {
        filled += static_cast<size_t>(got);
      } else if (errno != EINTR) {
        return Fail(ErrorCode::kCannotRead, Say("io.cannot-read", SystemReason(errno)), path_);
      }
    }
    return filled;
  }
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  const int descriptor_;
  const std::string path_;
  const uint64_t size_;
};

class PlainAccess final : public RandomAccess {
 public:
  explicit PlainAccess(std::unique_ptr<SharedFile> file) : file_(std::move(file)) {}
  Result<size_t> Read(uint64_t offset, std::span<char> into) override {
    return file_->Read(offset, into);
  }

 private:
  const std::unique_ptr<SharedFile> file_;
};

class ZstdAccess final : public RandomAccess {
 public:
  explicit ZstdAccess(std::string path) : path_(std::move(path)) {}
  Result<size_t> Read(uint64_t offset, std::span<char> into) override {
    Result<OpenedSource> source = OpenSource(path_);
    if (!source) return std::unexpected(source.error());
    std::vector<char> skipped(size_t{1} << 20);
    while (offset > 0) {
      const auto part = std::min<uint64_t>(offset, skipped.size());
      const Result<size_t> got = source->bytes->Read(std::span(skipped).first(part));
      if (!got || *got == 0) return got;
      offset -= *got;
    }
    return source->bytes->Read(into);
  }

 private:
  const std::string path_;
};

// An inflater and its position; a copy continues from the same place.
class GzipWalk {
 public:
  GzipWalk() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  uint64_t position() const { return position_; }

  // Inflates into the span; less than asked for at the end or at a fault.
  Result<size_t> Inflate(const SharedFile& file, std::vector<char>& buffer, std::span<char> into) {
    size_t filled = 0;
    while (filled < into.size() && !ended_) {
      const Result<size_t> got = file.Read(consumed_, buffer);
      if (!got) return got;
      state_.next_in = reinterpret_cast<uint8_t*>(buffer.data());
      state_.avail_in = static_cast<uint32_t>(*got);
      state_.next_out = reinterpret_cast<uint8_t*>(into.data() + filled);
      state_.avail_out = static_cast<uint32_t>(into.size() - filled);
      const size_t room = into.size() - filled;
      const int code = isal_inflate(&state_);
      const size_t gave = room - state_.avail_out;
      consumed_ += *got - state_.avail_in;
      position_ += gave;
      filled += gave;
      if (state_.block_state == ISAL_BLOCK_FINISH || code == ISAL_INCORRECT_CHECKSUM) {
        NextMember(file);
      } else if (code < 0 || (*got == 0 && gave == 0)) {
        ended_ = true;
      }
    }
    return filled;
  }
  bool ended() const { return ended_; }

 private:
  void NextMember(const SharedFile& file) {
    char magic[2] = {0, 0};
    const Result<size_t> got = file.Read(consumed_, magic);
    ended_ = !got || *got < 2 || magic[0] != '\x1f' || magic[1] != '\x8b';
    if (ended_) return;
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  inflate_state state_;
  uint64_t consumed_ = 0;  // of the compressed file
  uint64_t position_ = 0;  // in the decompressed one
  bool ended_ = false;
};

class GzipAccess final : public RandomAccess {
 public:
  explicit GzipAccess(std::unique_ptr<SharedFile> file)
      : file_(std::move(file)), spacing_(SpacingFor(file_->size())) {
    places_.push_back(std::make_unique<GzipWalk>());
  }

  void Prepare(const std::stop_token& stop) override {
    GzipWalk walk;
    std::vector<char> buffer(kBuffer), out(kBuffer * 4);
    uint64_t next = spacing_;
    while (!walk.ended() && !stop.stop_requested()) {
      const Result<size_t> got = walk.Inflate(*file_, buffer, out);
      if (!got) return;
      if (walk.position() < next || walk.ended()) continue;
      auto place = std::make_unique<GzipWalk>(walk);
      next = walk.position() + spacing_;
      std::lock_guard lock(mutex_);
      places_.push_back(std::move(place));
    }
  }

  Result<size_t> Read(uint64_t offset, std::span<char> into) override {
    auto walk = std::make_unique<GzipWalk>(PlaceBefore(offset));
    std::vector<char> buffer(kBuffer), skipped(kBuffer);
    while (walk->position() < offset && !walk->ended()) {
      const auto part = std::min<uint64_t>(offset - walk->position(), skipped.size());
      const Result<size_t> got = walk->Inflate(*file_, buffer, std::span(skipped).first(part));
      if (!got) return got;
    }
    return walk->Inflate(*file_, buffer, into);
  }

 private:
  static constexpr size_t kBuffer = size_t{256} << 10;

  // JSON shrinks about tenfold: the number of places stays below 512 however large the file is.
  static uint64_t SpacingFor(uint64_t compressed) {
    return std::max<uint64_t>(uint64_t{8} << 20, compressed * 10 / 512);
  }

  const GzipWalk& PlaceBefore(uint64_t offset) {
    std::lock_guard lock(mutex_);
    const auto after = std::upper_bound(
        places_.begin(), places_.end(), offset,
        [](uint64_t wanted, const auto& place) { return wanted < place->position(); });
    return **std::prev(after);
  }

  const std::unique_ptr<SharedFile> file_;
  const uint64_t spacing_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<GzipWalk>> places_;  // by position; the first stands at 0
};

}  // namespace

Result<std::unique_ptr<RandomAccess>> RandomAccess::Open(const std::string& path) {
  const int descriptor =
      path == "-" || IsPipeReadBefore(path) ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  NoteInput(descriptor);
  if (descriptor < 0) {
    return Fail(ErrorCode::kCannotRead,
                path == "-" ? Say("io.read-once") : Say("io.cannot-open", SystemReason(errno)),
                path);
  }
  struct stat status{};
  const bool known = fstat(descriptor, &status) == 0;
  auto file = std::make_unique<SharedFile>(descriptor, path,
                                           known ? static_cast<uint64_t>(status.st_size) : 0);
  char magic[4] = {0, 0, 0, 0};
  const Result<size_t> got = file->Read(0, magic);
  if (!got) return std::unexpected(got.error());
  if (std::memcmp(magic, "\x1f\x8b", 2) == 0) return std::make_unique<GzipAccess>(std::move(file));
  if (std::memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0) return std::make_unique<ZstdAccess>(path);
  return std::make_unique<PlainAccess>(std::move(file));
}

}  // namespace stepscope
