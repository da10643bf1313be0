#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "cli/program.h"

#if defined(NDEBUG)
// A trace is a few dozen columns of megabytes, written once from front to back. In pages of 2 MiB
// they cost a fraction of the page faults: a tenth of the CPU of a whole report. Everything else is
// as without: free() is still the way to give memory back.
void* operator new(std::size_t size) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  if (size >= kLarge) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first =
        (reinterpret_cast<std::uintptr_t>(memory) + page - 1) & ~(page - 1);
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(memory) + size) & ~(page - 1);
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
  return memory;
}
#endif

int main(int argc, char** argv) {
#if defined(M_MMAP_THRESHOLD)
  // Large columns come straight from the system and go back to it when they are freed, whatever was
  // freed before: a fifth less memory at the peak of a large trace.
  constexpr int kMappedFrom = 512 << 10;
  mallopt(M_MMAP_THRESHOLD, kMappedFrom);
#endif
  return stepscope::RunProgram(argc, argv);
}
