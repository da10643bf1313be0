#include "base/page_heap.h"

#include <sys/mman.h>

#include <algorithm>

namespace stepscope {
namespace {

void Unmap(uintptr_t begin, size_t bytes) {
  if (bytes > 0) munmap(reinterpret_cast<void*>(begin), bytes);
}

// Begins at a large page; 0 where the system has none.
uintptr_t MapPages(size_t bytes) {
  const auto map = [](size_t size) {
    void* const at =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? 0 : reinterpret_cast<uintptr_t>(at);
  };
  // Next to the last one, as a rule, which begins at a large page.
  uintptr_t begin = map(bytes);
  if (begin == 0 || begin % PageHeap::kPage == 0) return begin;
  Unmap(begin, bytes);
  begin = map(bytes + PageHeap::kPage);
  if (begin == 0) return 0;
  const uintptr_t aligned = PageHeap::BytesFor(begin);
  Unmap(begin, aligned - begin);
  Unmap(aligned + bytes, begin + PageHeap::kPage - aligned);
  return aligned;
}

}  // namespace

size_t PageHeap::Regions::After(uintptr_t begin) const {
  const auto first = items.begin();
  return static_cast<size_t>(
      std::lower_bound(first, first + count, begin,
                       [](const Region& region, uintptr_t at) { return region.begin < at; }) -
      first);
}

void PageHeap::Regions::Insert(size_t at, Region region) {
  std::move_backward(items.begin() + at, items.begin() + count, items.begin() + count + 1);
  items[at] = region;
  ++count;
}

void PageHeap::Regions::Remove(size_t at) {
  std::move(items.begin() + at + 1, items.begin() + count, items.begin() + at);
  --count;
}

void* PageHeap::TakeWaiting(size_t size) {
  const size_t bytes = BytesFor(size);
  if (used_.full()) return nullptr;
  size_t best = free_.count;
  for (size_t i = 0; i < free_.count; ++i) {
    if (free_.items[i].bytes < bytes) continue;
    if (best == free_.count || free_.items[i].bytes < free_.items[best].bytes) best = i;
  }
  if (best == free_.count) return nullptr;
  Region& from = free_.items[best];
  const uintptr_t begin = from.begin;
  from = {begin + bytes, from.bytes - bytes};
  if (from.bytes == 0) free_.Remove(best);
  waiting_ -= bytes;
  used_.Insert(used_.After(begin), {begin, bytes});
  return reinterpret_cast<void*>(begin);
}

void* PageHeap::TakeFresh(size_t size) {
  if (used_.full()) return nullptr;
  const size_t bytes = BytesFor(size);
  const uintptr_t begin = MapPages(bytes);
  if (begin == 0) return nullptr;
  // The last page is large if more than half of it is needed.
  const size_t large = (size + kPage / 2) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), large, MADV_HUGEPAGE);
  used_.Insert(used_.After(begin), {begin, bytes});
  return reinterpret_cast<void*>(begin);
}

size_t PageHeap::BytesOf(const void* block) const {
  const auto begin = reinterpret_cast<uintptr_t>(block);
  const size_t at = used_.After(begin);
  return at < used_.count && used_.items[at].begin == begin ? used_.items[at].bytes : 0;
}

void PageHeap::Give(void* block) {
  const size_t place = used_.After(reinterpret_cast<uintptr_t>(block));
  Region region = used_.items[place];
  used_.Remove(place);
  waiting_ += region.bytes;
  // Joined with what waits behind it and before it.
  size_t at = free_.After(region.begin);
  if (at < free_.count && free_.items[at].begin == region.begin + region.bytes) {
    region.bytes += free_.items[at].bytes;
    free_.Remove(at);
  }
  if (at > 0 && free_.items[at - 1].begin + free_.items[at - 1].bytes == region.begin) {
    free_.items[at - 1].bytes += region.bytes;
  } else if (!free_.full()) {
    free_.Insert(at, region);
  } else {
    waiting_ -= region.bytes;
    Unmap(region.begin, region.bytes);
  }
}

// The smallest first: they fit the fewest blocks.
void PageHeap::Return(size_t bytes) {
  while (bytes > 0 && free_.count > 0) {
    const auto end = free_.items.begin() + free_.count;
    const auto smallest =
        std::min_element(free_.items.begin(), end,
                         [](const Region& a, const Region& b) { return a.bytes < b.bytes; });
    const size_t part = std::min(smallest->bytes, BytesFor(bytes));
    smallest->bytes -= part;
    Unmap(smallest->begin + smallest->bytes, part);
    waiting_ -= part;
    bytes -= std::min(bytes, part);
    if (smallest->bytes == 0) free_.Remove(static_cast<size_t>(smallest - free_.items.begin()));
  }
}

}  // namespace stepscope
