#include <gtest/gtest.h>

#include <cmath>

#include "tools/events/smoothing.h"
#include "tools/events/step_rate.h"
#include "tools/events/step_table.h"

namespace stepscope {
namespace {

TEST(Smooth, IsTheDebiasedAverageOfTensorBoard) {
  // By hand with weight 0.5: averages 2, 5, 3.5 over 1 - 0.5^n.
  const std::vector<ScalarPoint> points{{0, 0, 4}, {1, 1, 8}, {2, 2, NAN}, {3, 3, 2}};
  const auto smooth = Smooth(points, 0.5);
  EXPECT_DOUBLE_EQ(smooth[0].value, 4);
  EXPECT_DOUBLE_EQ(smooth[1].value, 5 / 0.75);
  EXPECT_TRUE(std::isnan(smooth[2].value));
  EXPECT_DOUBLE_EQ(smooth[3].value, 3.5 / 0.875);
  const std::vector<ScalarPoint> flat{{0, 0, 3}, {1, 1, 3}};
  EXPECT_EQ(Smooth(flat, 0.9)[1].value, 3);
  EXPECT_EQ(Smooth(points, 0)[1].value, 8);
}

TEST(RateOf, FindsThePause) {
  // 10 steps per second, with 30 seconds for ten steps in the middle.
  std::vector<ScalarPoint> points;
  double wall = 100;
  for (int64_t step = 0; step <= 100; step += 10) {
    points.push_back({step, wall, 0});
    wall += step == 50 ? 30 : 1;
  }
  const auto rate = RateOf(points);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->intervals, 10u);
  EXPECT_DOUBLE_EQ(rate->median, 10);
  EXPECT_DOUBLE_EQ(rate->seconds, 39);
  EXPECT_DOUBLE_EQ(rate->steps_per_second, 100.0 / 39);
  ASSERT_EQ(rate->slow.size(), 1u);
  EXPECT_EQ(rate->slow[0].first_step, 50);
  EXPECT_EQ(rate->slow[0].last_step, 60);
  EXPECT_DOUBLE_EQ(rate->slow[0].times_slower, 30);
}

TEST(RateOf, SaysNothingWithoutTwoPoints) {
  EXPECT_FALSE(RateOf({}));
  const std::vector<ScalarPoint> still{{5, 1, 0}, {5, 2, 0}, {5, 3, 0}};
  EXPECT_FALSE(RateOf(still));
}

TEST(TableOfSteps, HasARowAStepAndTheLastValue) {
  const auto scalar = [](const char* tag, std::vector<ScalarPoint> points) {
    TagSeries series;
    series.tag = tag;
    series.kind = TagKind::kScalar;
    series.scalars = std::move(points);
    return series;
  };
  RunLog run;
  run.tags.push_back(scalar("loss", {{1, 0, 9}, {2, 0, 8}}));
  run.tags.push_back(scalar("auc", {{2, 0, .5}, {2, 1, .6}}));
  const StepTable table = TableOfSteps({run});
  EXPECT_EQ(table.columns, (std::vector<std::string>{"loss", "auc"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells[0], 9);
  EXPECT_FALSE(table.rows[0].cells[1]);
  EXPECT_EQ(table.rows[1].cells[1], .6);
}

}  // namespace
}  // namespace stepscope
