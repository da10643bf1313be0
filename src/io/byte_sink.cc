#include "io/byte_sink.h"

#include <isa-l.h>

#include <vector>

#include "io/atomic_file.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

// Collects small writes.
class FileSink : public ByteSink {
 public:
  explicit FileSink(AtomicFile file) : file_(std::move(file)) {}

  Result<void> Write(std::string_view bytes) override {
    constexpr size_t kFlushBytes = size_t{1} << 18;
    if (waiting_.size() + bytes.size() < kFlushBytes) {
      waiting_ += bytes;
      return {};
    }
    if (Result<void> done = Flush(); !done) return done;
    return file_.Append(bytes);
  }
  Result<void> Close() override {
    if (Result<void> done = Flush(); !done) return done;
    return file_.Commit();
  }

 private:
  Result<void> Flush() {
    Result<void> done = file_.Append(waiting_);
    waiting_.clear();
    return done;
  }

  AtomicFile file_;
  std::string waiting_;
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
  Result<AtomicFile> file = AtomicFile::Create(path, Overwrite::kAllowed);
  if (!file) return std::unexpected(std::move(file.error()));
  std::unique_ptr<ByteSink> sink = std::make_unique<FileSink>(std::move(*file));
  if (compression == Compression::kGzip) sink = std::make_unique<GzipSink>(std::move(sink));
  return sink;
}

}  // namespace stepscope
