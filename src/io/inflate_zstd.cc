#include <fmt/format.h>
#include <zstd.h>

#include "base/memory_limit.h"
#include "io/compressed_input.h"
#include "io/inflate.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

// `zstd --long=31`: what the format allows, 2 GiB. The window is taken only where it fits into the
// memory limit: a hostile frame cannot ask for more.
constexpr int kMaxWindowLog = 31;

// RFC 8878, 3.1.1.1: what the head of a frame says its window takes; 0 where it is no frame.
uint64_t WindowOf(std::string_view head) {
  if (head.size() < 6 || !head.starts_with("\x28\xB5\x2F\xFD")) return 0;
  const auto byte = [&](size_t at) {
    return at < head.size() ? static_cast<unsigned char>(head[at]) : 0U;
  };
  const unsigned descriptor = byte(4);
  const bool single_segment = (descriptor & 0x20) != 0;
  if (!single_segment) {
    const uint64_t base = uint64_t{1} << (10 + (byte(5) >> 3));
    return base + base / 8 * (byte(5) & 7);
  }
  // The window is as large as the content, whose size stands behind the dictionary's id.
  constexpr size_t kIdBytes[] = {0, 1, 2, 4};
  constexpr size_t kSizeBytes[] = {1, 2, 4, 8};
  const size_t at = 5 + kIdBytes[descriptor & 3];
  uint64_t size = 0;
  for (size_t i = kSizeBytes[descriptor >> 6]; i > 0; --i) size = size << 8 | byte(at + i - 1);
  return size;
}

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string path)
      : input_(std::move(compressed)),
        path_(std::move(path)),
        stream_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  Result<size_t> Read(std::span<char> into) override {
    size_t filled = 0;
    while (filled < into.size() && !ended_) filled += Step(into.subspan(filled));
    if (filled == 0 && !into.empty() && damage_) {
      Error error = std::move(*damage_);
      damage_.reset();
      return std::unexpected(std::move(error));
    }
    return filled;
  }

  std::optional<uint64_t> compressed_size() const override {
    return input_.source().compressed_size();
  }
  uint64_t compressed_position() const override { return input_.position(); }
  uint64_t trailing_garbage() const override { return garbage_; }

 private:
  size_t Step(std::span<char> into) {
    const std::span<char> window = input_.Window();
    if (window.empty() && frame_done_ && any_frame_) {
      ended_ = true;
      return 0;
    }
    if (frame_done_ && !WindowFits(window)) return 0;
    ZSTD_inBuffer in{window.data(), window.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(code) != 0) {
      // Between frames only a further frame may follow.
      if (frame_done_ && any_frame_) {
        garbage_ = input_.DrainGarbage();
      } else {
        Damage(Say("io.damaged-why", ZSTD_getErrorName(code)));
      }
      ended_ = true;
      return out.pos;
    }
    input_.Consume(in.pos);
    if (window.empty() && out.pos == 0) {
      Damage(Say("io.ends-in-middle"));
      ended_ = true;
    }
    frame_done_ = code == 0;
    any_frame_ |= frame_done_;
    return out.pos;
  }

  // Looks at the head of a frame, which says how much memory its window takes.
  bool WindowFits(std::span<const char> head) {
    constexpr uint64_t kSmall = uint64_t{1} << 27;
    const uint64_t window = WindowOf({head.data(), head.size()});
    if (window <= kSmall || FitsIntoMemory(window)) return true;
    damage_ = Error{ErrorCode::kUnsupported, Say("io.window", window >> 20, MemoryLimit() >> 20),
                    path_, input_.position(), Say("io.raise-limit")};
    ended_ = true;
    return false;
  }

  void Damage(Message sentence) {
    damage_ = Error{ErrorCode::kDamaged, std::move(sentence), path_, input_.position(),
                    Say("io.copy-again")};
    if (input_.fault()) damage_ = input_.fault();
  }

  CompressedInput input_;
  std::string path_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> stream_;
  bool ended_ = false;
  bool frame_done_ = true;  // between frames, also before the first
  bool any_frame_ = false;
  uint64_t garbage_ = 0;
  std::optional<Error> damage_;
};

}  // namespace

std::unique_ptr<ByteSource> InflateZstd(std::unique_ptr<ByteSource> compressed, std::string path) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(path));
}

}  // namespace stepscope
