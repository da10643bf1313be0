// Any bytes as compressed data, read in pieces of a size that the first byte chooses.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "io/inflate.h"

namespace {

using namespace stepscope;

class BytesSource final : public ByteSource {
 public:
  explicit BytesSource(std::span<const char> bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t size = std::min(into.size(), bytes_.size());
    if (size > 0) std::memcpy(into.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    position_ += size;
    return size;
  }
  std::optional<uint64_t> compressed_size() const override { return std::nullopt; }
  uint64_t compressed_position() const override { return position_; }

 private:
  std::span<const char> bytes_;
  uint64_t position_ = 0;
};

void Drain(ByteSource& source, size_t piece) {
  constexpr uint64_t kEnough = uint64_t{16} << 20;
  std::vector<char> buffer(piece);
  int faults = 0;
  for (uint64_t total = 0; total < kEnough;) {
    const Result<size_t> got = source.Read(buffer);
    if (!got && ++faults > 1) __builtin_trap();  // an error must come once
    if (!got) continue;
    if (*got == 0) return;
    total += *got;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = size_t{1} << (data[0] % 20);
  Drain(*InflateGzip(std::make_unique<BytesSource>(bytes), "fuzz"), piece);
  Drain(*InflateZstd(std::make_unique<BytesSource>(bytes), "fuzz"), piece);
  return 0;
}
