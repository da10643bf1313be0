#include "cli/capture_series.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

std::vector<SeriesPoint> Points(std::initializer_list<int64_t> steps) {
  std::vector<SeriesPoint> points;
  for (const int64_t step : steps) points.push_back({.name = "p", .median_step_ns = step});
  return points;
}

TEST(CaptureSeries, AnOutlierIsATenthAway) {
  EXPECT_FALSE(IsOutlier(200, Points({100, 100})));  // too few to tell
  EXPECT_FALSE(IsOutlier(110, Points({100, 100, 100})));
  EXPECT_TRUE(IsOutlier(111, Points({100, 100, 100})));
  EXPECT_TRUE(IsOutlier(89, Points({100, 100, 100})));
  EXPECT_FALSE(IsOutlier(100, Points({100, 500, 100, 1, 100})));  // outliers do not move the middle
  EXPECT_FALSE(IsOutlier(std::nullopt, Points({100, 100, 100})));
}

TEST(CaptureSeries, TheSlowestMedian) {
  EXPECT_EQ(MedianStepIn(R"({"steps": {"median_ns": 7}})"), 7);
  EXPECT_EQ(MedianStepIn(R"({"reports": [{"steps": {"median_ns": 7}}, {"steps": {"median_ns": 9}},
                                         {"steps": {"median_ns": null}}]})"),
            9);
  EXPECT_EQ(MedianStepIn(R"({"steps": {"median_ns": null}})"), std::nullopt);
  EXPECT_EQ(MedianStepIn("no JSON"), std::nullopt);
}

}  // namespace
}  // namespace stepscope
