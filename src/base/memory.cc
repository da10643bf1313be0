#include "base/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(NDEBUG)
// A trace is a few dozen columns of megabytes, and thousands of smaller ones while it is read, each
// written once from front to back. In pages of 2 MiB they cost a seventh of the page faults (31,000
// to 4,300 for a trace of 250 MB), which on some machines are a sixth of a report's CPU. Nothing
// else changes: free() still gives memory back.
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = kLargePage;  // from here on a block has pages of its own
constexpr std::size_t kMedium = std::size_t{16} << 10;

std::atomic<bool> heap_too = false;

// Whole large pages, the last of them if more than half of it is needed.
void* NewLarge(std::size_t size) {
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
#endif
}

// Reading gives blocks back to the system as it goes. From here on they stay, so that the system
// need not clear pages in between.
void ReuseFreedMemory() {
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
