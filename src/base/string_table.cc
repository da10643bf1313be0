#include "base/string_table.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace stepscope {
namespace {

constexpr size_t kArenaBytes = 64 * 1024;
constexpr size_t kFirstSlots = 256;

uint32_t Hash(std::string_view text) {
  return static_cast<uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

StringTable::StringTable() : views_{std::string_view("")}, slots_(kFirstSlots) {}

StringId StringTable::Intern(std::string_view text) {
  if (text.empty()) return kEmptyString;
  const uint32_t hash = Hash(text);
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].id != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && views_[slots_[at].id] == text) return StringId{slots_[at].id};
  }
  const auto id = static_cast<uint32_t>(views_.size());
  views_.push_back(Store(text));
  slots_[at] = {hash, id};
  if (views_.size() * 2 > slots_.size()) Grow();
  return StringId{id};
}

StringId StringTable::Find(std::string_view text) const {
  if (text.empty()) return kEmptyString;
  const uint32_t hash = Hash(text);
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask; slots_[at].id != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && views_[slots_[at].id] == text) return StringId{slots_[at].id};
  }
  return kEmptyString;
}

void StringTable::Clear() {
  views_.resize(1);
  std::fill(slots_.begin(), slots_.end(), Slot{});
  arenas_.clear();
  arena_size_ = arena_used_ = 0;
}

void StringTable::Grow() {
  std::vector<Slot> bigger(slots_.size() * 2);
  const size_t mask = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == 0) continue;
    size_t at = slot.hash & mask;
    while (bigger[at].id != 0) at = (at + 1) & mask;
    bigger[at] = slot;
  }
  slots_ = std::move(bigger);
}

std::string_view StringTable::Store(std::string_view text) {
  if (arena_size_ - arena_used_ < text.size()) {
    arena_size_ = std::max(kArenaBytes, text.size());
    arena_used_ = 0;
    arenas_.push_back(std::make_unique_for_overwrite<char[]>(arena_size_));
  }
  char* to = arenas_.back().get() + arena_used_;
  std::memcpy(to, text.data(), text.size());
  arena_used_ += text.size();
  return {to, text.size()};
}

}  // namespace stepscope
