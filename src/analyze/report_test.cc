#include "analyze/report.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

constexpr std::string_view kTwoStepsTwoDevices = R"(
    main    step:ProfilerStep#1 0..100     aten::mm 10..20     launch#1 12..14     launch#2 15..16
    main    step:ProfilerStep#2 100..200   aten::mm 110..130   launch#3 112..114   launch#4 115..116
    gpu:0   gemm#1 20..60   gemm#3 120..200
    gpu:1   gemm#2 30..50   gemm#4 130..190
  )";

TEST(Report, StatisticsOfUsedSteps) {
  const Analyzed a = AnalyzeText(kTwoStepsTwoDevices);
  EXPECT_EQ(a.report.step_statistics.used, 2u);
  EXPECT_EQ(a.report.step_statistics.median.value().ns, 100);
  EXPECT_EQ(a.report.step_statistics.p95.value().ns, 100);
  EXPECT_EQ(a.Op("aten::mm")->calls, 2u);
  EXPECT_EQ(a.Op("aten::mm")->device_self.ns, 40 + 20 + 80 + 60);
}

TEST(Report, ChosenStepsAreWhatTheTablesAreAbout) {
  ReportOptions options;
  options.steps.first = 2;
  const Analyzed a = AnalyzeText(kTwoStepsTwoDevices, options);
  EXPECT_EQ(a.report.step_statistics.used, 1u);
  EXPECT_EQ(a.linked.steps.items[0].why_unused, WhyUnused::kNotSelected);
  EXPECT_EQ(a.Op("aten::mm")->calls, 1u);
  EXPECT_EQ(a.Op("aten::mm")->host_total.ns, 20);
  EXPECT_EQ(a.Op("aten::mm")->device_self.ns, 80 + 60);
  ASSERT_EQ(a.report.kernels.size(), 2u);
  EXPECT_EQ(a.report.kernels[0].calls, 1u);
  EXPECT_EQ(a.report.launches.pairs, 2u);
  EXPECT_EQ(a.report.verdict.step, 1u);
}

TEST(Report, AChosenDeviceIsAllThatIsShown) {
  ReportOptions options;
  options.device = "gpu:1";
  const Analyzed a = AnalyzeText(kTwoStepsTwoDevices, options);
  ASSERT_EQ(a.report.breakdown[0].devices.size(), 1u);
  EXPECT_EQ(a.report.breakdown[0].devices[0].busy.ns, 20);
  EXPECT_EQ(a.report.device_timeline.size(), 1u);
  ASSERT_EQ(a.report.kernels.size(), 1u);
  EXPECT_EQ(a.report.kernels[0].total.ns, 80);
}

TEST(Report, AnEmptyTrace) {
  const Analyzed a = AnalyzeText("");
  EXPECT_TRUE(a.report.ops.empty());
  EXPECT_TRUE(a.report.breakdown.empty());
  EXPECT_EQ(a.report.verdict.bound_by, BoundBy::kUnknown);
}

}  // namespace
}  // namespace stepscope
