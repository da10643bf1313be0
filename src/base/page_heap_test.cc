#include "base/page_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace stepscope {
namespace {

constexpr size_t kPage = PageHeap::kPage;

TEST(PageHeap, WhatWasGivenBackIsUsedAgainInParts) {
  const auto heap = std::make_unique<PageHeap>();
  EXPECT_EQ(heap->TakeWaiting(1), nullptr);
  char* const block = static_cast<char*>(heap->TakeFresh(4 * kPage - 100));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kPage, 0U);
  std::memset(block, 7, 4 * kPage - 100);
  EXPECT_EQ(heap->BytesOf(block), 4 * kPage);
  EXPECT_EQ(heap->BytesOf(block + kPage), 0U);
  heap->Give(block);
  EXPECT_EQ(heap->BytesOf(block), 0U);
  EXPECT_EQ(heap->waiting(), 4 * kPage);

  EXPECT_EQ(heap->TakeWaiting(5 * kPage), nullptr);
  EXPECT_EQ(heap->TakeWaiting(kPage + 1), block);
  EXPECT_EQ(heap->TakeWaiting(kPage), block + 2 * kPage);
  EXPECT_EQ(heap->waiting(), kPage);
  EXPECT_EQ(block[0], 7);  // nobody cleared it
  // Neighbours join, whatever the order.
  heap->Give(block + 2 * kPage);
  heap->Give(block);
  EXPECT_EQ(heap->TakeWaiting(4 * kPage), block);
  heap->Give(block);
  heap->Return(heap->waiting());
}

TEST(PageHeap, TakesTheSmallestThatFitsAndReturnsTheSmallest) {
  const auto heap = std::make_unique<PageHeap>();
  void* const large = heap->TakeFresh(8 * kPage);
  void* const between = heap->TakeFresh(kPage);
  void* const small = heap->TakeFresh(2 * kPage);
  heap->Give(large);
  heap->Give(small);
  EXPECT_EQ(heap->TakeWaiting(2 * kPage), small);
  heap->Give(small);
  heap->Return(1);  // a page of the small one
  EXPECT_EQ(heap->waiting(), 9 * kPage);
  EXPECT_EQ(heap->TakeWaiting(2 * kPage), large);
  EXPECT_EQ(heap->TakeWaiting(kPage), small);
  heap->Give(large);
  heap->Give(small);
  heap->Give(between);
  heap->Return(100 * kPage);
  EXPECT_EQ(heap->waiting(), 0U);
}

TEST(PageHeap, TooManyBlocksAreRefused) {
  const auto heap = std::make_unique<PageHeap>();
  std::array<void*, 600> blocks{};
  size_t taken = 0;
  while (taken < blocks.size() && (blocks[taken] = heap->TakeFresh(1)) != nullptr) ++taken;
  EXPECT_LT(taken, blocks.size());
  for (size_t i = 0; i < taken; i += 2) heap->Give(blocks[i]);
  for (size_t i = 1; i < taken; i += 2) heap->Give(blocks[i]);
  EXPECT_EQ(heap->waiting(), taken * kPage);
  heap->Return(heap->waiting());
  EXPECT_EQ(heap->waiting(), 0U);
}

}  // namespace
}  // namespace stepscope
