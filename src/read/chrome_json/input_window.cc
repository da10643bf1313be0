#include "read/chrome_json/input_window.h"

#include <algorithm>
#include <cstring>

namespace stepscope::chrome_json {

size_t InputWindow::ReadSource(std::span<char> into) {
  if (ended_) return 0;
  const Result<size_t> got = source_.Read(into);
  if (!got) damage_ = got.error();
  const size_t bytes = got.value_or(0);
  ended_ = bytes == 0;
  return bytes;
}

bool InputWindow::Fill() {
  constexpr size_t kBytes = size_t{256} << 10;
  offset_ += used_;
  text_.erase(0, used_);
  used_ = 0;
  const size_t before = text_.size();
  text_.resize(before + kBytes);
  const size_t got = ReadSource({text_.data() + before, kBytes});
  text_.resize(before + got);
  return got > 0;
}

std::optional<char> InputWindow::Peek() {
  while (More()) {
    while (used_ < text_.size()) {
      if (static_cast<unsigned char>(text_[used_]) > ' ') return text_[used_];
      ++used_;
    }
  }
  return std::nullopt;
}

size_t InputWindow::ReadInto(std::span<char> into) {
  const size_t held = std::min(into.size(), text_.size() - used_);
  std::memcpy(into.data(), text_.data() + used_, held);
  used_ += held;
  if (held == into.size()) return held;
  const size_t got = ReadSource(into.subspan(held));
  offset_ += got;
  return held + got;
}

void InputWindow::GiveBack(std::string_view text) {
  const uint64_t start = offset() - text.size();
  std::string joined(text);
  joined += this->text();
  text_ = std::move(joined);
  used_ = 0;
  offset_ = start;
}

double InputWindow::share() const {
  const std::optional<uint64_t> size = source_.compressed_size();
  if (!size || *size == 0) return 0;
  return static_cast<double>(source_.compressed_position()) / static_cast<double>(*size);
}

}  // namespace stepscope::chrome_json
