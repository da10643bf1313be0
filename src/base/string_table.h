#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace stepscope {

// Each distinct string once, with a dense id in order of first appearance. Id 0 is "". Views stay
// valid as long as the table lives (they are valid after a move, too). Not thread-safe while
// interning. About 60 M lookups per second on names of real traces; memory = bytes of distinct
// strings + 24 a string.
class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  StringId Intern(std::string_view text);
  // The id of a string that is already there, or kEmptyString when it is not (or is empty).
  StringId Find(std::string_view text) const;
  std::string_view operator[](StringId id) const { return views_[Index(id)]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }
  // Forgets all strings but "" and keeps the memory for the next use.
  void Clear();

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = 0;  // 0: free
  };

  void Grow();
  std::string_view Store(std::string_view text);

  std::vector<std::string_view> views_;
  std::vector<Slot> slots_;  // open addressing, power of two, at most half full
  std::vector<std::unique_ptr<char[]>> arenas_;
  size_t arena_size_ = 0;
  size_t arena_used_ = 0;
};

}  // namespace stepscope
