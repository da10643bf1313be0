#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace stepscope {

// Any stretch of a file's (decompressed) bytes, in any order, from many threads. A plain file is
// read in place. A gzip stream can only be entered at places where the state of the inflater was
// kept: Prepare() walks it once and keeps one about every 8 MiB of output (at most 512, 90 KiB
// each), after which a stretch costs inflating 4 MiB on average. A zstd stream is read from its
// beginning each time.
class RandomAccess {
 public:
  static Result<std::unique_ptr<RandomAccess>> Open(const std::string& path);
  virtual ~RandomAccess() = default;

  // Makes later reads quick. Optional; may run while others read; ends early when asked to.
  virtual void Prepare(const std::stop_token&) {}
  // Fills as much of the span as there is from the offset on.
  virtual Result<size_t> Read(uint64_t offset, std::span<char> into) = 0;
};

}  // namespace stepscope
