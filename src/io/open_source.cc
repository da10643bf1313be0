#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "io/byte_source.h"
#include "io/file_source.h"
#include "io/inflate.h"

namespace stepscope {
namespace {

Compression CompressionOf(std::string_view head) {
  const auto starts_with = [&](std::initializer_list<uint8_t> magic) {
    return head.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), head.begin(),
                      [](uint8_t m, char h) { return m == static_cast<uint8_t>(h); });
  };
  if (starts_with({0x1f, 0x8b})) return Compression::kGzip;
  if (starts_with({0x28, 0xb5, 0x2f, 0xfd})) return Compression::kZstd;
  return Compression::kNone;
}

using PipeId = std::pair<dev_t, ino_t>;
std::optional<PipeId> PipeAt(const std::string& path) {
  struct stat status{};
  if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return {};
  return PipeId(status.st_dev, status.st_ino);
}

// Pipes of which only the head was looked at. Thread-safe.
class PeekedPipes {
 public:
  void Keep(PipeId pipe, OpenedSource source) {
    const std::scoped_lock lock(mutex_);
    kept_.insert_or_assign(pipe, std::move(source));
  }
  std::optional<OpenedSource> Take(const std::string& path) {
    const std::optional<PipeId> pipe = PipeAt(path);
    const std::scoped_lock lock(mutex_);
    const auto kept = pipe ? kept_.find(*pipe) : kept_.end();
    if (kept == kept_.end()) return {};
    OpenedSource source = std::move(kept->second);
    kept_.erase(kept);
    return source;
  }

 private:
  std::mutex mutex_;
  std::map<PipeId, OpenedSource> kept_;
};
PeekedPipes& Peeked() {
  static PeekedPipes pipes;
  return pipes;
}

}  // namespace

Result<std::string> HeadOf(const std::string& path, size_t bytes) {
  Result<OpenedSource> source = OpenSource(path);
  if (!source) return std::unexpected(std::move(source.error()));
  std::string head = Peek(*source, bytes);
  if (const std::optional<PipeId> pipe = PipeAt(path)) Peeked().Keep(*pipe, std::move(*source));
  return head;
}

Result<OpenedSource> OpenSource(const std::string& path, std::stop_token stop) {
  if (std::optional<OpenedSource> kept = Peeked().Take(path)) return std::move(*kept);
  Result<std::unique_ptr<ByteSource>> file = OpenFile(path, std::move(stop));
  if (!file) return std::unexpected(std::move(file.error()));
  OpenedSource opened{std::move(*file), Compression::kNone, path};
  opened.compression = CompressionOf(Peek(opened, 4));
  switch (opened.compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      opened.bytes = InflateGzip(std::move(opened.bytes), path);
      break;
    case Compression::kZstd:
      opened.bytes = InflateZstd(std::move(opened.bytes), path);
      break;
  }
  return opened;
}

}  // namespace stepscope
