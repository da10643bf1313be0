#include "analyze/input/input.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Input, WaitPerStep) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   loader 0..40   step:ProfilerStep#2 100..200   loader 100..110
    main    launch#1 50..51   launch#2 150..151
    gpu:0   a#1 51..100   b#2 151..200
  )");
  ASSERT_EQ(a.report.input.wait.size(), 2u);
  EXPECT_EQ(a.report.input.wait[0].ns, 40);
  EXPECT_EQ(a.report.input.wait[1].ns, 10);
  ASSERT_EQ(a.report.input.stages.size(), 1u);
  EXPECT_EQ(a.report.input.stages[0].calls, 2u);
  EXPECT_EQ(a.report.input.stages[0].self.ns, 50);
}

TEST(Input, StagesOnThreadsOfTheirOwnAreNoWait) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   input:Prefetch 0..10   aten::mm 10..90
    thread:2  input:Map 0..90   input:Range 20..40
  )");
  EXPECT_EQ(a.report.input.wait[0].ns, 10);
  ASSERT_EQ(a.report.input.stages.size(), 3u);
  EXPECT_EQ(a.report.input.stages[0].path, "Map");
  EXPECT_EQ(a.report.input.stages[0].self.ns, 70);
  EXPECT_EQ(a.report.input.stages[1].path, "Map > Range");
}

TEST(Input, NoInputNoStages) {
  const Analyzed a = AnalyzeText("main step:ProfilerStep#1 0..100   aten::mm 10..90");
  EXPECT_EQ(a.report.input.wait[0].ns, 0);
  EXPECT_TRUE(a.report.input.stages.empty());
}

}  // namespace
}  // namespace stepscope
