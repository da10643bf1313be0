#include "trace/device_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

// Every field has a value of its own.
DeviceArgs Numbered(uint32_t n) {
  DeviceArgs args;
  args.correlation = n + 1;
  args.external_id = n + 2;
  args.bytes = n + 3;
  for (uint32_t i = 0; i < 3; ++i) args.grid[i] = n + 4 + i;
  for (uint32_t i = 0; i < 3; ++i) args.block[i] = static_cast<uint16_t>(n + 7 + i);
  args.registers = static_cast<uint16_t>(n + 10);
  args.device = static_cast<int32_t>(n + 11);
  args.stream = static_cast<int32_t>(n + 12);
  args.shared_memory = n + 13;
  args.blocks_per_sm = static_cast<float>(n + 14);
  args.occupancy_percent = static_cast<float>(n + 15);
  args.graph_node = n + 16;
  args.op = StringId{n + 17};
  args.collective = n + 18;
  args.slice = n + 19;
  return args;
}

void ExpectSame(const DeviceArgs& a, const DeviceArgs& b) {
  EXPECT_EQ(a.correlation, b.correlation);
  EXPECT_EQ(a.external_id, b.external_id);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_THAT(a.grid, ::testing::ElementsAreArray(b.grid));
  EXPECT_THAT(a.block, ::testing::ElementsAreArray(b.block));
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.shared_memory, b.shared_memory);
  EXPECT_EQ(a.blocks_per_sm, b.blocks_per_sm);
  EXPECT_EQ(a.occupancy_percent, b.occupancy_percent);
  EXPECT_EQ(a.graph_node, b.graph_node);
  EXPECT_EQ(a.op, b.op);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.slice, b.slice);
}

TEST(DeviceTable, GivesBackWhatItWasGiven) {
  DeviceTable table;
  table.push_back(DeviceArgs{});
  for (uint32_t n = 0; n < 300; ++n) table.push_back(Numbered(n % 100 * 1000));
  ASSERT_EQ(table.size(), 301U);
  ExpectSame(table[0], DeviceArgs{});
  for (uint32_t n = 0; n < 300; ++n) ExpectSame(table[n + 1], Numbered(n % 100 * 1000));
  size_t rows = 0;
  for (const DeviceArgs& args : table) ExpectSame(args, table[rows++]);
  EXPECT_EQ(rows, table.size());
}

// A thousand steps of the same three kernels take no more than the ids in which they differ.
TEST(DeviceTable, WhatRepeatsStandsOnce) {
  DeviceTable table;
  table.reserve(3000);
  for (uint32_t n = 0; n < 3000; ++n) {
    DeviceArgs args = Numbered(n % 3 * 1000);
    args.external_id = 0;
    args.correlation = n;
    args.slice = n;
    table.push_back(args);
  }
  EXPECT_LE(table.Bytes(), 3000U * 20U + 1024U);
  EXPECT_EQ(table[2999].correlation, 2999U);
  EXPECT_EQ(table[2999].bytes, 2003);
}

TEST(DeviceTable, RowsCanBeChanged) {
  DeviceTable table;
  for (uint32_t n = 0; n < 3; ++n) table.push_back(DeviceArgs{});
  table.ForEach([](DeviceArgs& args) { args.grid[1] = 5; });
  table.Set(1, Numbered(40));
  table.SetSlice(2, 8);
  table.SetOp(2, StringId{9});
  DeviceArgs last;
  last.grid[1] = 5;
  last.slice = 8;
  last.op = StringId{9};
  ExpectSame(table[1], Numbered(40));
  ExpectSame(table[2], last);
}

// Strings and collectives of blocks are counted anew; external ids may begin in a later block.
TEST(DeviceTable, JoinsTheTablesOfBlocks) {
  const std::vector<StringId> first_strings{StringId{0}, StringId{7}};
  const std::vector<StringId> second_strings{StringId{0}, StringId{4}};
  DeviceArgs plain;
  plain.op = StringId{1};
  DeviceArgs collective = plain;
  collective.external_id = 12;
  collective.collective = 2;
  DeviceTable first, second, all;
  first.push_back(plain);
  second.push_back(collective);
  second.push_back(plain);
  all.Append(std::move(first), first_strings, 0, 3);
  all.Append(std::move(second), second_strings, 10, 3);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].op, StringId{7});
  EXPECT_EQ(all[0].external_id, 0U);
  EXPECT_EQ(all[0].collective, kNoRow);
  EXPECT_EQ(all[1].op, StringId{4});
  EXPECT_EQ(all[1].external_id, 12U);
  EXPECT_EQ(all[1].collective, 12U);
  EXPECT_EQ(all[2].op, StringId{4});
  EXPECT_EQ(all[2].external_id, 0U);
  EXPECT_EQ(all[2].collective, kNoRow);
}

// As the reader of XPlane files does it: rows of two blocks with a gap between them.
TEST(DeviceTable, PlacesRows) {
  DeviceTable table, first, second;
  table.Resize(4);
  const auto place = [&](size_t row, DeviceTable& block, uint32_t n) {
    DeviceArgs args = Numbered(n);
    args.external_id = 0;
    args.op = StringId{0};
    args.collective = kNoRow;
    table.Place(row, args, block.NumberOf(args));
  };
  place(0, first, 100);
  place(2, second, 300);
  place(3, second, 100);
  table.MoveDown(2, 2, 1);
  table.Erase(3);
  const std::vector<StringId> strings{StringId{0}};
  table.Settle(0, 1, first, strings, 0);
  table.Settle(1, 2, second, strings, 0);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].stream, 112);
  EXPECT_EQ(table[1].stream, 312);
  EXPECT_EQ(table[2].stream, 112);
  EXPECT_EQ(table[1].correlation, 301U);
  EXPECT_EQ(table[1].slice, kNoRow);
}

}  // namespace
}  // namespace stepscope
