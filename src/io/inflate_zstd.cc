#include <zstd.h>

#include "io/compressed_input.h"
#include "io/inflate.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

// Windows above this are refused, so that a hostile frame cannot ask for gigabytes.
constexpr int kMaxWindowLog = 27;

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
    if (window.empty() && frame_done_) {
      ended_ = true;
      return 0;
    }
    ZSTD_inBuffer in{window.data(), window.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(code) != 0) {
      // Between frames only a further frame may follow.
      if (frame_done_) {
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
    return out.pos;
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
  bool frame_done_ = false;
  uint64_t garbage_ = 0;
  std::optional<Error> damage_;
};

}  // namespace

std::unique_ptr<ByteSource> InflateZstd(std::unique_ptr<ByteSource> compressed, std::string path) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(path));
}

}  // namespace stepscope
