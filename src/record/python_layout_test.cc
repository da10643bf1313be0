#include "record/python_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace stepscope {
namespace {

using Table = std::array<uint64_t, kOffsetTableWords>;

Table TableOf(uint64_t version, bool free_threaded) {
  Table table{};
  std::memcpy(table.data(), "xdebugpy", 8);
  table[1] = version;
  table[2] = free_threaded ? 1 : 0;
  for (size_t i = 3; i < table.size(); ++i) table[i] = 1000 + i;
  return table;
}

// The table of 3.13.0 as compiled from its headers: byte 224 begins the frame, 272 the code object,
// 536 the string.
TEST(LayoutFromTable, Of313) {
  Table table = TableOf(0x030d00f0, false);
  table[5] = 632;
  table[9] = 7344;
  const std::optional<PythonLayout> layout = LayoutFromTable(table);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->minor, 13);
  EXPECT_EQ(layout->interpreters_head, 632);
  EXPECT_EQ(layout->threads_head, 7344);
  EXPECT_EQ(layout->thread_next, 1000 + 152 / 8 + 2);
  EXPECT_EQ(layout->thread_frame, 1000 + 152 / 8 + 4);
  EXPECT_EQ(layout->frame_back, 1000 + 224 / 8 + 1);
  EXPECT_EQ(layout->code_filename, 1000 + 272 / 8 + 1);
  EXPECT_EQ(layout->string_state, 1000 + 536 / 8 + 1);
  EXPECT_EQ(layout->string_ascii, 1000 + 536 / 8 + 3);
  EXPECT_EQ(layout->frame_copy, -1);
  EXPECT_EQ(layout->interned_bits, 2);
}

// 3.14 inserts a word after the head of threads, two at the end of the interpreter, two in the
// frame, one in the code object and the four of set objects: 10 words more before the string.
TEST(LayoutFromTable, Of314WithoutTheGil) {
  const std::optional<PythonLayout> layout = LayoutFromTable(TableOf(0x030e00f0, true));
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->minor, 14);
  EXPECT_EQ(layout->thread_next, 1000 + 152 / 8 + 3 + 2);
  EXPECT_EQ(layout->frame_back, 1000 + 224 / 8 + 3 + 1);
  EXPECT_EQ(layout->frame_copy, 1000 + 224 / 8 + 3 + 7);
  EXPECT_EQ(layout->code_filename, 1000 + 272 / 8 + 5 + 1);
  EXPECT_EQ(layout->code_copies, 1000 + 272 / 8 + 5 + 10);
  EXPECT_EQ(layout->string_state, 1000 + 536 / 8 + 10 + 1);
  EXPECT_EQ(layout->interned_bits, 8);
}

TEST(LayoutFromTable, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(LayoutFromTable(TableOf(0x030f00f0, false)).has_value());
  Table no_cookie = TableOf(0x030e00f0, false);
  no_cookie[0] = 0;
  EXPECT_FALSE(LayoutFromTable(no_cookie).has_value());
  Table wild = TableOf(0x030e00f0, false);
  wild[33] = ~uint64_t{0};
  EXPECT_FALSE(LayoutFromTable(wild).has_value());
}

}  // namespace
}  // namespace stepscope
