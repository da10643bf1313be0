#include "io/byte_sink.h"

#include <fmt/core.h>
#include <isa-l.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "words/io.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

Message Reason() { return errno != 0 ? SystemReason(errno) : Say("io.write-failed"); }

std::unexpected<Error> CannotWrite(const std::string& path, Message what) {
  return Fail(ErrorCode::kCannotWrite, std::move(what), path, Say("io.check-folder"));
}

// A regular file appears under its name only when it is complete: it is written under another name
// in the same folder, then renamed. A pipe, a terminal or a device is written through and stays.
class FileSink : public ByteSink {
 public:
  FileSink(std::FILE* file, std::string path, std::string temporary)
      : file_(file), path_(std::move(path)), temporary_(std::move(temporary)) {}
  ~FileSink() override {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Result<void> Write(std::string_view bytes) override {
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
      return CannotWrite(path_, Say("io.cannot-write", Reason()));
    }
    return {};
  }
  Result<void> Close() override {
    errno = 0;
    bool fine = std::fflush(file_) == 0;
    if (file_ != stdout) {
      if (!temporary_.empty()) fine = fine && ::fsync(::fileno(file_)) == 0;
      fine = std::fclose(file_) == 0 && fine;
    }
    file_ = nullptr;
    if (!temporary_.empty()) {
      fine = fine && std::rename(temporary_.c_str(), path_.c_str()) == 0;
      if (!fine) ::unlink(temporary_.c_str());
    }
    return fine ? Result<void>() : CannotWrite(path_, Say("io.cannot-finish", Reason()));
  }

 private:
  std::FILE* file_;
  std::string path_;
  std::string temporary_;  // empty: written through
};

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> below) : below_(std::move(below)) {
    isal_deflate_init(&stream_);
    stream_.level = 1;
    stream_.level_buf = level_buffer_.data();
    stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
    stream_.gzip_flag = IGZIP_GZIP;
  }

  Result<void> Write(std::string_view bytes) override {
    constexpr size_t kMost = size_t{1} << 30;  // ISA-L counts in 32 bits
    while (bytes.size() > kMost) {
      if (Result<void> done = Deflate(bytes.substr(0, kMost), false); !done) return done;
      bytes.remove_prefix(kMost);
    }
    return Deflate(bytes, false);
  }
  Result<void> Close() override {
    if (Result<void> done = Deflate({}, true); !done) return done;
    return below_->Close();
  }

 private:
  Result<void> Deflate(std::string_view bytes, bool last) {
    std::string copy(bytes);  // ISA-L wants bytes it may write to
    stream_.next_in = reinterpret_cast<uint8_t*>(copy.data());
    stream_.avail_in = static_cast<uint32_t>(copy.size());
    stream_.end_of_stream = last ? 1 : 0;
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uint32_t>(block_.size());
      if (isal_deflate(&stream_) != COMP_OK) {
        return Fail(ErrorCode::kCannotWrite, Say("io.gzip-failed"));
      }
      const size_t size = block_.size() - stream_.avail_out;
      const std::string_view out(reinterpret_cast<const char*>(block_.data()), size);
      if (Result<void> done = below_->Write(out); !done) return done;
    } while (stream_.avail_out == 0);
    return {};
  }

  std::unique_ptr<ByteSink> below_;
  isal_zstream stream_;
  std::vector<uint8_t> level_buffer_ = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
  std::vector<uint8_t> block_ = std::vector<uint8_t>(size_t{1} << 17);
};

}  // namespace

Compression CompressionForName(std::string_view path) {
  return path.ends_with(".gz") ? Compression::kGzip : Compression::kNone;
}

Result<std::unique_ptr<ByteSink>> OpenSink(const std::string& path, Compression compression) {
  errno = 0;
  std::error_code unknown;
  // A link stays a link: what it points to is replaced.
  const bool linked = std::filesystem::is_symlink(path, unknown);
  const std::string target = linked ? std::filesystem::weakly_canonical(path).string() : path;
  const auto status = std::filesystem::status(target, unknown);
  std::string temporary;
  if (path != "-" &&
      (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))) {
    static std::atomic<uint64_t> serial = 0;
    temporary = fmt::format("{}.stepscope-tmp-{}-{}", target, getpid(), ++serial);
  }
  errno = 0;
  std::FILE* file =
      path == "-" ? stdout : std::fopen((temporary.empty() ? target : temporary).c_str(), "wb");
  if (file == nullptr) return CannotWrite(path, Say("io.cannot-create", Reason()));
  std::unique_ptr<ByteSink> sink = std::make_unique<FileSink>(file, target, std::move(temporary));
  if (compression == Compression::kGzip) sink = std::make_unique<GzipSink>(std::move(sink));
  return sink;
}

}  // namespace stepscope
