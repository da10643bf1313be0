#include "base/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/page_heap.h"

#if defined(NDEBUG)
// A trace is a few dozen columns of megabytes, and thousands of smaller ones while it is read, each
// written once from front to back. In pages of 2 MiB they cost a seventh of the page faults (31,000
// to 4,300 for a trace of 250 MB), which on some machines are a sixth of a report's CPU. Nothing
// else changes: free() still gives memory back.
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = kLargePage;  // from here on a block has pages of its own
constexpr std::size_t kMedium = std::size_t{16} << 10;
constexpr std::size_t kHuge = 4 * kLargePage;  // from here on any part of what waits will do

std::atomic<bool> heap_too = false;

// Blocks that were freed and wait for the next use, so that the system need not clear their pages
// again: a third of the CPU of a report that makes a hundred columns of megabytes one after the
// other. What is in use and what waits are together never more than what was once in use, so the
// peak of memory stays. Blocks go back to the system when there is no place for one more.
class FreeBlocks {
 public:
  // Nothing waits before Start and after Stop.
  void Start() { SetOn(true); }
  void Stop() { SetOn(false); }

  // A block of at least this size, or null.
  void* Take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (!on_) return nullptr;
    if (size >= kHuge) return TakeHuge(size);
    std::size_t best = kNone;
    for (std::size_t i = 0; i < count_; ++i) {
      if (blocks_[i].room < size || blocks_[i].room - size > size / 4 + kLargePage) continue;
      if (best == kNone || blocks_[i].room < blocks_[best].room) best = i;
    }
    Use(size);
    if (best != kNone) return Remove(best).memory;
    MakeRoom(0);  // the caller takes a new one
    return nullptr;
  }

  // Whether the block is one of the huge ones, which waits here now.
  bool GaveBack(void* memory) {
    const std::lock_guard lock(mutex_);
    return GiveBack(memory);
  }

  // Whether the block waits here now; else the caller frees it.
  bool Keep(void* memory, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (GiveBack(memory)) return true;
    if (!on_) return false;
    used_ -= size < used_ ? size : used_;
    if (count_ == kMost) std::free(Remove(0).memory);
    MakeRoom(size);
    if (used_ + size > most_) return false;
    blocks_[count_++] = {memory, size, malloc_usable_size(memory)};
    waiting_ += size;
    return true;
  }

 private:
  struct Block {
    void* memory = nullptr;
    std::size_t size = 0;  // as it was used last
    std::size_t room = 0;  // up to a large page more: what aligning it left over
  };
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kNone = kMost;

  void Use(std::size_t bytes) {
    used_ += bytes;
    if (used_ > most_) most_ = used_;
  }
  bool GiveBack(void* memory) {
    const std::size_t bytes = heap_.BytesOf(memory);
    if (bytes == 0) return false;
    used_ -= bytes < used_ ? bytes : used_;
    heap_.Give(memory);
    if (!on_) heap_.Return(heap_.waiting());
    return true;
  }
  // Gives back what waits until so much more may.
  void MakeRoom(std::size_t bytes) {
    const std::size_t all = used_ + waiting_ + heap_.waiting() + bytes;
    if (all > most_) heap_.Return(all - most_);
    while (count_ > 0 && used_ + waiting_ + heap_.waiting() + bytes > most_) {
      std::free(Remove(0).memory);
    }
  }
  void* TakeHuge(std::size_t size) {
    const std::size_t bytes = stepscope::PageHeap::BytesFor(size);
    Use(bytes);
    if (void* const again = heap_.TakeWaiting(size)) return again;
    MakeRoom(0);
    if (void* const fresh = heap_.TakeFresh(size)) return fresh;
    used_ -= bytes;
    return nullptr;
  }

  // The oldest is the first.
  Block Remove(std::size_t at) {
    const Block block = blocks_[at];
    for (std::size_t i = at + 1; i < count_; ++i) blocks_[i - 1] = blocks_[i];
    --count_;
    waiting_ -= block.size;
    return block;
  }
  void SetOn(bool on) {
    const std::lock_guard lock(mutex_);
    on_ = on;
    if (on) return;
    while (count_ > 0) std::free(Remove(0).memory);
    heap_.Return(heap_.waiting());
  }

  std::mutex mutex_;
  std::array<Block, kMost> blocks_;
  stepscope::PageHeap heap_;  // of huge ones
  std::size_t count_ = 0;
  std::size_t waiting_ = 0;  // of blocks_
  std::size_t used_ = 0;
  std::size_t most_ = 0;
  bool on_ = false;
};
constinit FreeBlocks free_blocks;

// Whole large pages, the last of them if more than half of it is needed.
void* NewLarge(std::size_t size) {
  if (void* const again = free_blocks.Take(size)) return again;
  const std::size_t rounded = (size + kLargePage / 2) / kLargePage * kLargePage;
  const std::size_t taken = size > rounded ? size : rounded;
  void* const memory = std::aligned_alloc(kLargePage, taken);
  if (memory != nullptr) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

// The heap below the break, as far as it has grown since the last time.
void AdviseHeap() {
  static std::atomic<std::uintptr_t> advised = 0;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  std::uintptr_t begin = advised.load(std::memory_order_relaxed);
  if (end <= begin) return;
  if (!advised.compare_exchange_strong(begin, end, std::memory_order_relaxed)) return;
  constexpr std::uintptr_t kMostAtOnce = std::uintptr_t{64} << 20;
  if (begin == 0 || end - begin > kMostAtOnce) begin = end - kMostAtOnce;
  begin &= ~(kLargePage - 1);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = size >= kLarge ? NewLarge(size) : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  if (size >= kMedium && size < kLarge && heap_too.load(std::memory_order_relaxed)) AdviseHeap();
  return memory;
}
void operator delete(void* memory) noexcept {
  // Only large blocks begin at a large page. Of them the huge ones are not malloc's.
  const bool large = reinterpret_cast<std::uintptr_t>(memory) % kLargePage == 0;
  if (!large || memory == nullptr || !free_blocks.GaveBack(memory)) std::free(memory);
}
void operator delete(void* memory, std::size_t size) noexcept {
  if (size < kLarge || !free_blocks.Keep(memory, size)) std::free(memory);
}
#endif

namespace stepscope {
namespace {

constexpr int kMiB = 1 << 20;

// Options of glibc's malloc; other libraries have their own ways.
void SetMallocOption([[maybe_unused]] int option, [[maybe_unused]] int value) {
#if defined(__GLIBC__)
  mallopt(option, value);
#endif
}

}  // namespace

void ManageMemory() {
  // Large columns come straight from the system and go back to it when they are freed, whatever was
  // freed before: a fifth less memory at the peak of a large trace. All else is in one heap, which
  // grows by many pages at once.
  SetMallocOption(M_MMAP_THRESHOLD, kMiB);
  SetMallocOption(M_TOP_PAD, 16 * kMiB);
  SetMallocOption(M_ARENA_MAX, 1);
#if defined(NDEBUG)
  heap_too = true;
  free_blocks.Start();
#endif
}

// Reading gives large blocks back to the system as it goes, and what is left of small ones here:
// the columns of its pieces, which are of no use to the larger ones of analyses. From here on all
// stay, so that the system need not clear pages in between.
void ReuseFreedMemory() {
  ReturnFreeMemory();
  SetMallocOption(M_MMAP_THRESHOLD, 32 * kMiB);
  SetMallocOption(M_TRIM_THRESHOLD, 1024 * kMiB);
}

// Few arenas, which return answers to the system once they are sent. An arena keeps its next growth
// step even after trimming, so that step must not be 16 MiB.
void ManageServerMemory() {
  SetMallocOption(M_ARENA_MAX, 4);
  SetMallocOption(M_MMAP_THRESHOLD, kMiB);
  SetMallocOption(M_TOP_PAD, kMiB);
  SetMallocOption(M_TRIM_THRESHOLD, 4 * kMiB);
#if defined(NDEBUG)
  free_blocks.Stop();
#endif
}

void ReturnFreeMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

uint64_t PhysicalMemoryBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<uint64_t>(pages * page_bytes) : 0;
}

}  // namespace stepscope
