#include "analyze/recorded/recorded.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// main (line 10) calls load (line 3) and, through work (line 6), itself at line 10 again.
Recorded Drawn() {
  Recorded recorded;
  recorded.lines = {{"main", "a.py", 10}, {"load", "a.py", 3}, {"work", "a.py", 6}};
  recorded.stacks = {{kNoRow, 0}, {0, 1}, {0, 2}, {2, 0}};
  recorded.samples = {
      {.time = {10}, .weight = {10}, .stack = 1},
      {.time = {20}, .weight = {10}, .stack = 1},
      {.time = {30}, .weight = {10}, .stack = 3},
      {.time = {30}, .weight = {10}, .thread = 2, .stack = 0, .waiting = true},
      {.time = {45}, .weight = {15}, .stack = 0},
  };
  return recorded;
}

TEST(AnalyzePython, SumsSelfAndTotalPerLine) {
  const std::vector<PythonRow> rows = AnalyzePython(Drawn());
  ASSERT_EQ(rows.size(), 3u);
  // main is on top in the third sample (10) and in the last (15), and on the stack in all of them.
  EXPECT_EQ(rows[0].function, "main");
  EXPECT_EQ(rows[0].self.ns, 25);
  EXPECT_EQ(rows[0].total.ns, 45);
  EXPECT_EQ(rows[0].samples, 4u);
  EXPECT_EQ(rows[1].function, "load");
  EXPECT_EQ(rows[1].line, 3);
  EXPECT_EQ(rows[1].self.ns, 20);
  EXPECT_EQ(rows[1].total.ns, 20);
  EXPECT_EQ(rows[2].function, "work");
  EXPECT_EQ(rows[2].self.ns, 0);
  EXPECT_EQ(rows[2].total.ns, 10);
}

TEST(FindUnprofiledSteps, LeavesTheProfilersWindowOut) {
  Recorded recorded;
  recorded.steps = {{{0}, {10}, 0, false},  {{10}, {90}, 1, true},   {{100}, {12}, 2, false},
                    {{112}, {95}, 3, true}, {{207}, {14}, 4, false}, {{221}, {11}, 5, false}};
  const UnprofiledSteps steps = FindUnprofiledSteps(recorded);
  EXPECT_EQ(steps.count, 4u);
  EXPECT_EQ(steps.median->ns, 11);  // 10 11 12 14: the lower middle
}

}  // namespace
}  // namespace stepscope
