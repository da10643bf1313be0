#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stepscope {

// Blocks of whole large pages (2 MiB). What is given back waits for the next block, whatever its
// size: neighbours join, and a block may be a part of what waits. So the system clears about as
// much memory as is in use at once, and not as much as is used one after the other. Not safe for
// several threads by itself. Has no constructor that runs: `operator new` may call it before any
// does.
class PageHeap {
 public:
  static constexpr size_t kPage = size_t{2} << 20;
  // What a block of this size takes.
  static constexpr size_t BytesFor(size_t size) { return (size + kPage - 1) / kPage * kPage; }

  // From what waits; null where nothing large enough does.
  void* TakeWaiting(size_t size);
  // From the system; null where it has none, or where there are too many blocks.
  void* TakeFresh(size_t size);
  // The bytes of a block that was taken here, 0 for all else.
  size_t BytesOf(const void* block) const;
  // The block waits from now on.
  void Give(void* block);
  // Gives this much of what waits back to the system, or all there is.
  void Return(size_t bytes);
  size_t waiting() const { return waiting_; }

 private:
  struct Region {
    uintptr_t begin = 0;
    size_t bytes = 0;
  };
  // By address, at most so many.
  struct Regions {
    std::array<Region, 512> items;
    size_t count = 0;

    bool full() const { return count == items.size(); }
    size_t After(uintptr_t begin) const;  // the first that begins at or after
    void Insert(size_t at, Region region);
    void Remove(size_t at);
  };

  Regions used_;
  Regions free_;
  size_t waiting_ = 0;
};

}  // namespace stepscope
