#include "record/line_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace stepscope {
namespace {

// The tables are those that CPython itself made of
//
//   def f(x):            # line 1
//       a = x            # line 2
//       b = (a +         # line 3
//            x)          # line 4
//       return b         # line 5
//
// and the lines those that its dis module gives for each offset.
using Lines = std::map<int64_t, int32_t>;

Lines LinesOf(int minor, const std::string& table, const Lines& expected) {
  Lines found;
  for (const auto& [offset, line] : expected) found[offset] = LineAt(minor, table, 1, offset);
  return found;
}

TEST(LineAt, Python39) {
  const std::string table("\x00\x01\x04\x01\x02\x01\x02\xff\x04\x02", 10);
  const Lines lines{{0, 2}, {2, 2}, {4, 3}, {6, 4}, {8, 3}, {10, 3}, {12, 5}, {14, 5}};
  EXPECT_EQ(LinesOf(9, table, lines), lines);
}

TEST(LineAt, Python310) {
  const std::string table("\x04\x01\x02\x01\x02\x01\x04\xff\x04\x02", 10);
  const Lines lines{{0, 2}, {2, 2}, {4, 3}, {6, 4}, {8, 3}, {10, 3}, {12, 5}, {14, 5}};
  EXPECT_EQ(LinesOf(10, table, lines), lines);
}

TEST(LineAt, Python311To313) {
  const std::string table(
      "\x80\x00\xd8\x08\x09\x80\x41\xd8\x09\x0a\xd8\x09\x0a\xf1\x03\x01\x0a\x0b\x80\x41\xe0\x0b\x0c"
      "\x80\x48",
      25);
  const Lines lines{{0, 1}, {2, 2}, {4, 2}, {6, 3}, {8, 4}, {10, 3}, {14, 3}, {16, 5}, {18, 5}};
  for (const int minor : {11, 12, 13}) EXPECT_EQ(LinesOf(minor, table, lines), lines) << minor;
}

TEST(LineAt, TornTablesDoNoHarm) {
  std::string table;
  for (int i = 0; i < 300; ++i) table += static_cast<char>(i * 37);
  for (const int minor : {9, 10, 11, 12, 13}) {
    for (size_t cut = 0; cut < table.size(); ++cut) {
      (void)LineAt(minor, table.substr(cut), 1, 50);
      (void)LineAt(minor, table.substr(0, cut), 1, -7);
    }
  }
}

}  // namespace
}  // namespace stepscope
