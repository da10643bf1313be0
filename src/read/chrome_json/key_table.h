#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope::chrome_json {

template <typename Value>
struct KeyWord {
  std::string_view text;
  Value value;
};

// A fixed set of words with a value each, found by one multiplication and one comparison. The hash
// is chosen at compile time so that no two words share a slot.
template <typename Value, size_t kWords>
class KeyTable {
 public:
  consteval explicit KeyTable(const KeyWord<Value> (&words)[kWords]) {
    for (size_t i = 0; i < kWords; ++i) words_[i] = words[i];
    while (!Fill()) factor_ = factor_ * 0x5851f42d4c957f2d + 2;  // stays odd
  }

  // The value of the word, or `otherwise`.
  Value Find(const char* text, size_t size, Value otherwise) const {
    if (size == 0) return otherwise;
    const uint8_t at = slots_[SlotOf(text, size)];
    if (at == kFree) return otherwise;
    const KeyWord<Value>& word = words_[at];
    if (word.text.size() != size || std::memcmp(word.text.data(), text, size) != 0) {
      return otherwise;
    }
    return word.value;
  }

 private:
  static constexpr uint8_t kFree = 255;
  static constexpr int kSlotBits = 10;
  static_assert(kWords < kFree);

  constexpr size_t SlotOf(const char* text, size_t size) const {
    const auto byte = [text](size_t at) { return uint64_t{static_cast<uint8_t>(text[at])}; };
    const uint64_t mixed = byte(0) | byte(size / 4) << 8 | byte(size * 5 / 8) << 16 |
                           byte(size - 1) << 24 | uint64_t{size} << 32;
    return static_cast<size_t>(mixed * factor_ >> (64 - kSlotBits));
  }

  consteval bool Fill() {
    slots_.fill(kFree);
    for (size_t i = 0; i < kWords; ++i) {
      uint8_t& slot = slots_[SlotOf(words_[i].text.data(), words_[i].text.size())];
      if (slot != kFree) return false;
      slot = static_cast<uint8_t>(i);
    }
    return true;
  }

  std::array<KeyWord<Value>, kWords> words_{};
  std::array<uint8_t, size_t{1} << kSlotBits> slots_{};
  uint64_t factor_ = 0x9e3779b97f4a7c15;
};

}  // namespace stepscope::chrome_json
