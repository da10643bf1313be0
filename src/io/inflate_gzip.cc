#include <isa-l/igzip_lib.h>

#include "io/compressed_input.h"
#include "io/inflate.h"
#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

// Deflate in a gzip or zlib wrapper: they differ in the header, the checksum, and that only gzip
// has members.
class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string path, uint32_t wrapper)
      : input_(std::move(compressed)),
        path_(std::move(path)),
        wrapper_(wrapper),
        state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
    state_->crc_flag = wrapper_;
  }

  Result<size_t> Read(std::span<char> into) override {
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    size_t filled = 0;
    while (filled < into.size() && !ended_) {
      filled += Step(into.subspan(filled, std::min(into.size() - filled, kMostAtOnce)));
    }
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
  // Inflates one window of input; the number of bytes it gave.
  size_t Step(std::span<char> into) {
    const std::span<char> window = input_.Window();
    state_->next_in = reinterpret_cast<uint8_t*>(window.data());
    state_->avail_in = static_cast<uint32_t>(window.size());
    state_->next_out = reinterpret_cast<uint8_t*>(into.data());
    state_->avail_out = static_cast<uint32_t>(into.size());
    const int code = isal_inflate(state_.get());
    input_.Consume(window.size() - state_->avail_in);
    const size_t gave = into.size() - state_->avail_out;
    if (code == ISAL_INCORRECT_CHECKSUM) {
      Damage(Say("io.checksum"));
      NextMember();
    } else if (code < 0) {
      Damage(Say("io.damaged"));
      ended_ = true;
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      NextMember();
    } else if (window.empty() && gave == 0) {
      Damage(Say("io.ends-in-middle"));
      ended_ = true;
    }
    return gave;
  }

  void NextMember() {
    const std::span<char> window = input_.Window();
    const bool member = wrapper_ == ISAL_GZIP && !window.empty() &&
                        static_cast<uint8_t>(window[0]) == 0x1f &&
                        (window.size() < 2 || static_cast<uint8_t>(window[1]) == 0x8b);
    if (!member) {
      garbage_ = input_.DrainGarbage();
      ended_ = true;
      return;
    }
    isal_inflate_reset(state_.get());
    state_->crc_flag = wrapper_;
  }

  void Damage(Message sentence) {
    if (damage_) return;
    damage_ = Error{ErrorCode::kDamaged, std::move(sentence), path_, input_.position(),
                    Say("io.copy-again")};
    if (input_.fault()) damage_ = input_.fault();
  }

  CompressedInput input_;
  std::string path_;
  const uint32_t wrapper_;
  std::unique_ptr<inflate_state> state_;
  bool ended_ = false;
  uint64_t garbage_ = 0;
  std::optional<Error> damage_;
};

}  // namespace

std::unique_ptr<ByteSource> InflateGzip(std::unique_ptr<ByteSource> compressed, std::string path) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(path), ISAL_GZIP);
}

std::unique_ptr<ByteSource> InflateZlib(std::unique_ptr<ByteSource> compressed, std::string path) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(path), ISAL_ZLIB);
}

}  // namespace stepscope
