#include "analyze/kernels/kernels.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Kernels, OneRowForEachDeviceKindAndName) {
  const Analyzed a = AnalyzeText(R"(
    main    aten::mm 0..50   launch#1 0..1   launch#2 2..3   launch#3 4..5   launch#4 6..7
    main    aten::add 50..60   launch#5 51..52   launch#6 53..54
    gpu:0   gemm#1 100..110   gemm#2 120..150   gemm#3 200..220   gemm#5 300..340
    gpu:1   gemm#4 100..105   ncclDevKernel_AllReduce#6 400..510
  )");
  ASSERT_EQ(a.report.kernels.size(), 3u);
  const KernelRow& collective = a.report.kernels[0];
  EXPECT_EQ(collective.kind, Kind::kKernel);
  EXPECT_EQ(collective.category, KernelCategory::kCommunication);
  const KernelRow& gemm = a.report.kernels[1];
  EXPECT_EQ(gemm.calls, 4u);
  EXPECT_EQ(gemm.total.ns, 100);
  EXPECT_EQ(gemm.min.ns, 10);
  EXPECT_EQ(gemm.max.ns, 40);
  EXPECT_EQ(gemm.p50.ns, 20);  // lower middle of 10 20 30 40
  ASSERT_EQ(gemm.launched_by.size(), 2u);
  EXPECT_EQ(a.trace.strings[gemm.launched_by[0].op], "aten::mm");
  EXPECT_EQ(gemm.launched_by[0].total.ns, 60);
  EXPECT_EQ(gemm.launched_by[1].total.ns, 40);
  EXPECT_EQ(a.report.kernels[2].total.ns, 5);
}

TEST(Kernels, MeansAreWeightedByDuration) {
  const Analyzed a = AnalyzeText(R"(
    main    launch#1 0..1   launch#2 2..3
    gpu:0   gemm#1 100..110 blocks=2 occupancy=50   gemm#2 120..150 blocks=4 occupancy=10
  )");
  EXPECT_NEAR(a.report.kernels[0].mean_blocks_per_sm.value(), 3.5, 1e-6);
  EXPECT_NEAR(a.report.kernels[0].mean_occupancy_percent.value(), 20, 1e-6);
}

TEST(Kernels, NoMeansWhereNothingIsRecorded) {
  const Analyzed a = AnalyzeText("gpu:0 Memset#1 0..10");
  EXPECT_FALSE(a.report.kernels[0].mean_blocks_per_sm.has_value());
  EXPECT_EQ(a.report.kernels[0].kind, Kind::kMemset);
}

}  // namespace
}  // namespace stepscope
