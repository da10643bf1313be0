#include "io/byte_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stepscope {
namespace {

// Gives back first what was read ahead, and the fault that ended it.
class Rewound final : public ByteSource {
 public:
  Rewound(std::unique_ptr<ByteSource> rest, std::string head, std::optional<Error> fault)
      : rest_(std::move(rest)), head_(std::move(head)), fault_(std::move(fault)) {}

  Result<size_t> Read(std::span<char> into) override {
    const size_t from_head = std::min(into.size(), head_.size() - used_);
    if (from_head > 0) {
      std::memcpy(into.data(), head_.data() + used_, from_head);
      used_ += from_head;
      if (from_head == into.size() || fault_) return from_head;
      Result<size_t> more = rest_->Read(into.subspan(from_head));
      if (!more) fault_ = std::move(more.error());
      return from_head + more.value_or(0);
    }
    if (!fault_) return rest_->Read(into);
    Error fault = std::move(*fault_);
    fault_.reset();
    return std::unexpected(std::move(fault));
  }
  std::optional<uint64_t> compressed_size() const override { return rest_->compressed_size(); }
  uint64_t compressed_position() const override { return rest_->compressed_position(); }
  uint64_t trailing_garbage() const override { return rest_->trailing_garbage(); }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string head_;
  size_t used_ = 0;
  std::optional<Error> fault_;
};

}  // namespace

std::string Peek(OpenedSource& source, size_t bytes) {
  std::string head(bytes, '\0');
  size_t filled = 0;
  std::optional<Error> fault;
  while (filled < bytes) {
    Result<size_t> got = source.bytes->Read({head.data() + filled, bytes - filled});
    if (!got) fault = std::move(got.error());
    if (got.value_or(0) == 0) break;
    filled += *got;
  }
  head.resize(filled);
  source.bytes = std::make_unique<Rewound>(std::move(source.bytes), head, std::move(fault));
  return head;
}

}  // namespace stepscope
