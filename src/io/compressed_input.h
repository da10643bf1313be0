#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/byte_source.h"

namespace stepscope {

// The compressed side of a decompressor: a window of bytes that is refilled when it is used up.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The bytes not yet consumed; refills when there are none. Empty at the end of the file.
  std::span<char> Window() {
    if (first_ == last_ && !ended_) Refill();
    return {buffer_.data() + first_, last_ - first_};
  }
  void Consume(size_t bytes) { first_ += bytes; }
  // Bytes left from here on that are not zero: zeros are padding.
  uint64_t DrainGarbage() {
    uint64_t garbage = 0;
    for (auto window = Window(); !window.empty(); window = Window()) {
      garbage += static_cast<uint64_t>(
          std::count_if(window.begin(), window.end(), [](char c) { return c != 0; }));
      Consume(window.size());
    }
    return garbage;
  }

  const ByteSource& source() const { return *source_; }
  uint64_t position() const { return source_->compressed_position() - (last_ - first_); }
  // A fault of the file itself, not of the compression.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  static constexpr size_t kBytes = size_t{512} << 10;

  void Refill() {
    buffer_.resize(kBytes);
    const Result<size_t> got = source_->Read(buffer_);
    if (!got) fault_ = got.error();
    first_ = 0;
    last_ = got.value_or(0);
    ended_ = last_ == 0;
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t first_ = 0;
  size_t last_ = 0;
  bool ended_ = false;
  std::optional<Error> fault_;
};

}  // namespace stepscope
