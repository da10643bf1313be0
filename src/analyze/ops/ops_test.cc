#include "analyze/ops/ops.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Ops, SelfAndTotal) {
  const Analyzed a = AnalyzeText(R"(
    main    aten::linear 0..100   aten::addmm 20..80   launch#1 30..40   launch#2 90..95
    gpu:0   gemm#1 50..90   bias#2 100..110
  )");
  const OpRow& linear = *a.Op("aten::linear");
  EXPECT_EQ(linear.host_total.ns, 100);
  EXPECT_EQ(linear.host_self.ns, 40);
  EXPECT_EQ(linear.host_self_excl_runtime.ns, 35);
  EXPECT_EQ(linear.device_self.ns, 10);
  EXPECT_EQ(linear.device_total.ns, 50);
  EXPECT_EQ(linear.calls_launching, 1u);
  const OpRow& addmm = *a.Op("aten::addmm");
  EXPECT_EQ(addmm.host_self.ns, 60);
  EXPECT_EQ(addmm.host_self_excl_runtime.ns, 50);
  EXPECT_EQ(addmm.device_self.ns, 40);
  EXPECT_TRUE(addmm.tensor_core_eligible);
}

TEST(Ops, RecursionCountsOnceInOutermost) {
  const Analyzed a = AnalyzeText(R"(
    main    aten::to 0..100   aten::other 10..90   aten::to 20..80   launch#1 30..40   aten::to 200..210
    gpu:0   copy_kernel#1 50..90
  )");
  const OpRow& to = *a.Op("aten::to");
  EXPECT_EQ(to.calls, 3u);
  EXPECT_EQ(to.calls_outermost, 2u);
  EXPECT_EQ(to.host_total.ns, 170);
  EXPECT_EQ(to.host_total_outermost.ns, 110);
  EXPECT_EQ(to.device_total.ns, 80);
  EXPECT_EQ(to.device_total_outermost.ns, 40);
  EXPECT_EQ(to.device_self.ns, 40);
}

TEST(Ops, OverlappingKernelsOfOneCallCountOnceInTheUnion) {
  const Analyzed a = AnalyzeText(R"(
    main      aten::foreach 0..100   launch#1 0..10   launch#2 10..20   launch#3 20..30
    gpu:0/1   a#1 50..90
    gpu:0/2   b#2 60..80   c#3 85..100
  )");
  const OpRow& op = *a.Op("aten::foreach");
  EXPECT_EQ(op.device_self.ns, 40 + 20 + 15);
  EXPECT_EQ(op.device_self_union.ns, 50);
  EXPECT_EQ(op.calls_launching, 1u);
}

TEST(Ops, AnnotationsHaveRowsOfTheirOwn) {
  const Analyzed a = AnalyzeText(R"(
    main    anno:forward 0..100   aten::mm 20..60   launch#1 30..40   launch#2 70..75
    gpu:0   gemm#1 50..90   raw#2 100..110
  )");
  const OpRow& forward = *a.Op("forward");
  EXPECT_EQ(forward.kind, Kind::kAnnotation);
  EXPECT_EQ(forward.device_total.ns, 50);
  EXPECT_EQ(forward.host_total.ns, 100);
  EXPECT_EQ(a.Op("aten::mm")->host_self.ns, 40);
}

TEST(Ops, RowsByShape) {
  Trace trace = TraceText(R"(
    main    aten::mm 0..10 dims=[[2,3],[3,4]]   aten::mm 10..30 dims=[[2,3],[3,4]]   aten::mm 30..35 dims=[[8,8],[8,8]]
  )");
  trace.facts.has_shapes = true;
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  ASSERT_EQ(a.report.ops_by_shape.size(), 2u);
  EXPECT_EQ(a.trace.strings[a.report.ops_by_shape[0].input_dims], "[[2,3],[3,4]]");
  EXPECT_EQ(a.report.ops_by_shape[0].calls, 2u);
  EXPECT_EQ(a.report.ops_by_shape[0].host_total.ns, 30);
  EXPECT_EQ(a.report.ops_by_shape[1].host_total.ns, 5);
  ASSERT_EQ(a.report.ops.size(), 1u);
  EXPECT_EQ(a.report.ops[0].calls, 3u);
}

TEST(Ops, TensorCoreTimeIsPassedUp) {
  const Analyzed a = AnalyzeText(R"(
    main    aten::linear 0..100   aten::addmm 20..80   launch#1 30..40   launch#2 50..55
    gpu:0   s16816gemm#1 50..90   bias#2 100..110
  )");
  EXPECT_EQ(a.Op("aten::addmm")->tensor_core.ns, 40);
  EXPECT_EQ(a.Op("aten::linear")->tensor_core.ns, 0);
  EXPECT_EQ(a.Op("aten::linear")->tensor_core_total.ns, 40);
}

}  // namespace
}  // namespace stepscope
