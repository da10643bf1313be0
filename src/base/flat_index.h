#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stepscope {

// Gives each distinct 64-bit key a dense number in order of first appearance. Open addressing, at
// most half full; about 10 ns per lookup. Any key but kFree.
class FlatIndex {
 public:
  static constexpr uint64_t kFree = ~uint64_t{0};

  explicit FlatIndex(size_t expected = 64) : slots_(std::bit_ceil(2 * expected + 16)) {}

  uint32_t Of(uint64_t key) {
    if (2 * (keys_.size() + 1) > slots_.size()) Grow();
    Slot& slot = slots_[Find(key)];
    if (slot.key == kFree) {
      slot = {key, static_cast<uint32_t>(keys_.size())};
      keys_.push_back(key);
    }
    return slot.number;
  }

  const std::vector<uint64_t>& keys() const { return keys_; }  // by number
  size_t size() const { return keys_.size(); }

 private:
  struct Slot {
    uint64_t key = kFree;
    uint32_t number = 0;
  };

  size_t Find(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    const uint64_t mixed = key * 0x9E3779B97F4A7C15u;
    size_t i = (mixed ^ (mixed >> 32)) & mask;
    while (slots_[i].key != kFree && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slots_[Find(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<uint64_t> keys_;
};

}  // namespace stepscope
