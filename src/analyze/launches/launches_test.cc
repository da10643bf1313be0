#include "analyze/launches/launches.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Launches, DelayAndQueue) {
  // Queue: +1 at 0, 10, 20; -1 at 30, 40, 60; +1 at 100, -1 at 103.
  const Analyzed a = AnalyzeText(R"(
    main    launch#1 0..5   launch#2 10..15   launch#3 20..26   launch#4 100..110
    gpu:0   a#1 30..40   b#2 40..60   c#3 60..70   d#4 103..120
  )");
  const Launches& launches = a.report.launches;
  EXPECT_EQ(launches.calls, 4u);
  EXPECT_EQ(launches.pairs, 4u);
  EXPECT_EQ(launches.median_call.value().ns, 5);
  EXPECT_EQ(launches.median_delay.value().ns, 25);  // 0 25 25 34
  EXPECT_EQ(launches.max_delay.ns, 34);
  EXPECT_EQ(launches.total_delay.ns, 84);
  ASSERT_EQ(launches.queues.size(), 1u);
  EXPECT_EQ(launches.queues[0].max, 3u);
  EXPECT_EQ(launches.queue_empty, 2u);  // c and d
  EXPECT_NEAR(launches.queues[0].mean, (10 + 20 + 30 + 20 + 20 + 3) / 103.0, 1e-12);
}

TEST(Launches, AGraphLaunchMakesManyPairs) {
  const Analyzed a = AnalyzeText(R"(
    main    cudaGraphLaunch#1 0..5
    gpu:0   a#1 10..20   b#1 20..30   c#1 30..40
  )");
  EXPECT_EQ(a.report.launches.calls, 1u);
  EXPECT_EQ(a.report.launches.pairs, 3u);
  EXPECT_EQ(a.report.launches.queues[0].max, 3u);
}

TEST(Launches, NothingLaunched) {
  const Analyzed a = AnalyzeText("main aten::mm 0..10");
  EXPECT_FALSE(a.report.launches.median_call.has_value());
  EXPECT_FALSE(a.report.launches.median_delay.has_value());
}

}  // namespace
}  // namespace stepscope
