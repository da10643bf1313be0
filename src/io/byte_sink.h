#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

// Bytes going out from front to back, compressed on the way where asked for. Nothing is kept in
// memory but a block. One writer at a time.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> Write(std::string_view bytes) = 0;
  // Must be called once at the end: only then is all of it on disk, and only then are late faults
  // (a full disk) known. A sink destroyed without it removes the unfinished file.
  virtual Result<void> Close() = 0;
};

// Creates or replaces the file; "-" is standard output. kGzip or kNone.
Result<std::unique_ptr<ByteSink>> OpenSink(const std::string& path, Compression compression);
// kGzip for a name that ends in .gz.
Compression CompressionForName(std::string_view path);

}  // namespace stepscope
