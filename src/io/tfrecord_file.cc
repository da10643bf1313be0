#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "io/tfrecord.h"

namespace stepscope {
namespace {

// A plain file, read in the chunks that the caller asks for.
class PlainFile final : public ByteSource {
 public:
  PlainFile(int file, uint64_t size) : file_(file), size_(size) {}
  ~PlainFile() override { close(file_); }

  Result<size_t> Read(std::span<char> into) override {
    ssize_t got = 0;
    do got = read(file_, into.data(), into.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return Fail(ErrorCode::kCannotRead, std::strerror(errno));
    position_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }
  std::optional<uint64_t> compressed_size() const override { return size_; }
  uint64_t compressed_position() const override { return position_; }

 private:
  const int file_;
  const uint64_t size_;
  uint64_t position_ = 0;
};

// gzip (also several members end to end) or zlib over a plain file. Memory: 256 KiB and ISA-L's
// window.
class InflatedFile final : public ByteSource {
 public:
  InflatedFile(std::unique_ptr<ByteSource> packed, RecordCompression compression)
      : packed_(std::move(packed)), compression_(compression), input_(size_t{256} << 10) {
    StartMember();
  }

  Result<size_t> Read(std::span<char> into) override {
    if (phase_ == Phase::kFault) {
      phase_ = Phase::kDone;
      return Fail(ErrorCode::kDamaged, "the compressed data is damaged or cut");
    }
    state_.next_out = reinterpret_cast<uint8_t*>(into.data());
    state_.avail_out = static_cast<uint32_t>(std::min(into.size(), size_t{1} << 30));
    const uint32_t wanted = state_.avail_out;
    while (state_.avail_out == wanted && phase_ == Phase::kFlowing) {
      if (state_.avail_in == 0 && !Refill()) break;
      in_member_ = true;
      if (isal_inflate(&state_) < 0)
        phase_ = Phase::kFault;
      else if (state_.block_state == ISAL_BLOCK_FINISH)
        NextMember();
    }
    const size_t produced = wanted - state_.avail_out;
    return produced == 0 && phase_ == Phase::kFault ? Read(into) : Result<size_t>(produced);
  }
  std::optional<uint64_t> compressed_size() const override { return packed_->compressed_size(); }
  uint64_t compressed_position() const override { return packed_->compressed_position(); }

 private:
  enum class Phase : uint8_t { kFlowing, kFault, kDone };

  bool Refill() {
    const Result<size_t> got = packed_->Read(input_);
    if (!got || (*got == 0 && in_member_)) {
      phase_ = Phase::kFault;
    } else if (*got == 0) {
      phase_ = Phase::kDone;
    } else {
      state_.next_in = reinterpret_cast<uint8_t*>(input_.data());
      state_.avail_in = static_cast<uint32_t>(*got);
    }
    return phase_ == Phase::kFlowing;
  }
  void StartMember() {
    isal_inflate_init(&state_);
    state_.crc_flag = compression_ == RecordCompression::kGzip ? ISAL_GZIP : ISAL_ZLIB;
    in_member_ = false;
  }
  void NextMember() {
    const inflate_state ended = state_;
    StartMember();
    state_.next_in = ended.next_in;
    state_.avail_in = ended.avail_in;
    state_.next_out = ended.next_out;
    state_.avail_out = ended.avail_out;
  }

  std::unique_ptr<ByteSource> packed_;
  const RecordCompression compression_;
  std::vector<char> input_;
  inflate_state state_{};
  bool in_member_ = false;
  Phase phase_ = Phase::kFlowing;
};

RecordCompression CompressionOf(std::string_view first) {
  if (HoldsRecordHeader(first) || first.size() < 3) return RecordCompression::kNone;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(first[i]); };
  if (byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) return RecordCompression::kGzip;
  // RFC 1950: deflate with a window up to 32 KiB, and a header that is a multiple of 31.
  const bool zlib =
      (byte(0) & 0x0f) == 8 && (byte(0) >> 4) <= 7 && (byte(0) * 256 + byte(1)) % 31 == 0;
  return zlib ? RecordCompression::kZlib : RecordCompression::kNone;
}

}  // namespace

Result<RecordFile> OpenRecordFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Fail(ErrorCode::kCannotRead, std::strerror(errno), path);
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return Fail(ErrorCode::kCannotRead, "not a regular file", path);
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  char first[kRecordHeaderBytes];
  const ssize_t got = pread(file, first, sizeof first, 0);
  RecordFile opened{std::make_unique<PlainFile>(file, size), RecordCompression::kNone, size};
  if (got > 0) opened.compression = CompressionOf({first, static_cast<size_t>(got)});
  if (opened.compression != RecordCompression::kNone) {
    opened.bytes = std::make_unique<InflatedFile>(std::move(opened.bytes), opened.compression);
  }
  return opened;
}

}  // namespace stepscope
