#include "analyze/comms/comms.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Communication, HostCollectivesAgainstKernels) {
  const Analyzed a = AnalyzeText(R"(
    main      launch#1 0..1   launch#2 1..2
    thread:2  anno:gloo:all_reduce 10..50   anno:gloo:all_reduce 40..70   anno:gloo:broadcast 90..95
    gpu:0     gemm#1 20..30   ncclDevKernel#2 60..80
  )");
  const Communication& communication = a.report.communication.value();
  EXPECT_EQ(communication.union_time.ns, 65);
  EXPECT_EQ(communication.overlap_with_kernels.ns, 10);  // a collective's kernel hides nothing
  EXPECT_EQ(communication.exposed_vs_kernels.ns, 55);
  ASSERT_EQ(communication.by_collective.size(), 2u);
  EXPECT_EQ(communication.by_collective[0].name, "gloo:all_reduce");
  EXPECT_EQ(communication.by_collective[0].calls, 2u);
  EXPECT_EQ(communication.by_collective[0].total.ns, 70);
}

TEST(Communication, NoneWhereThereIsNone) {
  EXPECT_FALSE(AnalyzeText("main aten::mm 0..10").report.communication.has_value());
}

}  // namespace
}  // namespace stepscope
