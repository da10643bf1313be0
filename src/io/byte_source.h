#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace stepscope {

// Bytes of a file from front to back. Decompresses transparently what Open finds compressed (by its
// first bytes, never by its name). One reader at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills as much of the span as there is; 0 at the end. A damaged compressed stream gives the
  // bytes before the fault, then an Error with code kDamaged once.
  virtual Result<size_t> Read(std::span<char> into) = 0;
  // Size of what is on disk and how much of it has been consumed: for progress.
  virtual std::optional<uint64_t> compressed_size() const = 0;
  virtual uint64_t compressed_position() const = 0;
  // Bytes after the end of the compressed data that are neither padding nor a further member; known
  // once Read has returned 0.
  virtual uint64_t trailing_garbage() const { return 0; }
};

enum class Compression : uint8_t { kNone, kGzip, kZstd };

struct OpenedSource {
  std::unique_ptr<ByteSource> bytes;
  Compression compression = Compression::kNone;
  std::string path;
};

// A path, or "-" for standard input. Waiting for a pipe ends soon after `stop` says so.
Result<OpenedSource> OpenSource(const std::string& path, std::stop_token stop = {});

// The first bytes (fewer at the end of the file); Read gives them once more afterwards.
std::string Peek(OpenedSource& source, size_t bytes);

// The first (decompressed) bytes of a path. A pipe gives its bytes only once, so it is kept open,
// and the next OpenSource of it begins at its first byte all the same.
Result<std::string> HeadOf(const std::string& path, size_t bytes);

// The whole (decompressed) content with a limit, in memory of its own: what happens to the file
// later does not matter. The limit guards against archives that inflate without end.
class FileBytes {
 public:
  std::span<const char> bytes() const { return bytes_; }
  // Compressed data ended in a fault, or the file changed while it was read; bytes() holds what was
  // read.
  bool damaged() const { return damaged_.has_value(); }
  const std::optional<Error>& damage() const { return damaged_; }

  FileBytes(std::span<const char> bytes, std::shared_ptr<const void> owner,
            std::optional<Error> damaged)
      : bytes_(bytes), owner_(std::move(owner)), damaged_(std::move(damaged)) {}

 private:
  std::span<const char> bytes_;
  std::shared_ptr<const void> owner_;
  std::optional<Error> damaged_;
};
inline constexpr uint64_t kInflatedLimit = uint64_t{1} << 32;
Result<FileBytes> ReadWhole(const std::string& path, uint64_t limit_bytes = kInflatedLimit);
// The same for a source of which nothing has been read (but peeked).
Result<FileBytes> ReadWhole(OpenedSource source, uint64_t limit_bytes = kInflatedLimit);

// Told now and then how far a long piece of work has come; must be cheap and thread-safe. share is
// 0..1.
using Progress = std::function<void(double share, const char* what)>;

}  // namespace stepscope
