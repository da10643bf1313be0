#include "analyze/breakdown/breakdown.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Breakdown, EachNanosecondHasOnePlace) {
  // compute 10..40, communication 30..60, copy 50..80, memset 70..90, step 0..100.
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   launch#1 0..1   launch#2 1..2   launch#3 2..3   launch#4 3..4
    gpu:0/1   gemm#1 10..40
    gpu:0/2   ncclDevKernel_AllReduce#2 30..60
    gpu:0/3   Memcpy HtoD#3 50..80
    gpu:0/4   Memset#4 70..90
  )");
  const DeviceStep& step = a.report.breakdown[0].devices[0];
  EXPECT_EQ(step.busy.ns, 80);
  EXPECT_EQ(step.compute.ns, 30);
  EXPECT_EQ(step.communication.ns, 30);
  EXPECT_EQ(step.exposed_communication.ns, 20);
  EXPECT_EQ(step.copy.ns, 30);
  EXPECT_EQ(step.exposed_copy.ns, 20);
  EXPECT_EQ(step.memset.ns, 20);
  EXPECT_EQ(step.exposed_memset.ns, 10);
  EXPECT_EQ(step.idle.ns, 20);

  const TimelineTotals& all = a.report.device_timeline[0].all;  // memset counts as compute
  EXPECT_EQ(all.total.ns, 80);
  EXPECT_EQ(all.compute.ns, 50);
  EXPECT_EQ(all.exposed_communication.ns, 20);
  EXPECT_EQ(all.exposed_copy.ns, 10);
  EXPECT_EQ(all.busy.ns, 80);
  EXPECT_EQ(all.idle.ns, 0);
}

TEST(Breakdown, LinkedLeavesOutWorkWithoutALaunch) {
  const Analyzed a = AnalyzeText(R"(
    main    launch#1 0..1
    gpu:0   early#7 2..10   gemm#1 20..40
  )");
  EXPECT_EQ(a.report.device_timeline[0].all.total.ns, 38);
  EXPECT_EQ(a.report.device_timeline[0].linked.total.ns, 20);
  EXPECT_EQ(a.report.quality.CountOf(Diagnostic::kUnlinkedDeviceEvents), 1u);
}

TEST(Breakdown, DevicesStandSideBySide) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   launch#1 0..1   launch#2 1..2
    gpu:0   a#1 10..90
    gpu:1   b#2 20..30
  )");
  ASSERT_EQ(a.report.breakdown[0].devices.size(), 2u);
  EXPECT_EQ(a.report.breakdown[0].devices[0].idle.ns, 20);
  EXPECT_EQ(a.report.breakdown[0].devices[1].idle.ns, 90);
}

TEST(Priority, FirstRoleWins) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   loader 0..20   aten::mm 20..60   launch#1 30..35   launch#2 36..37
    gpu:0   gemm#1 40..70   Memcpy HtoD#2 60..80
  )");
  const PriorityPartition& p = a.report.breakdown[0].priority.value();
  EXPECT_EQ(p.kernel.ns, 30);
  EXPECT_EQ(p.memcpy.ns, 10);
  EXPECT_EQ(p.runtime.ns, 6);
  EXPECT_EQ(p.dataloader.ns, 20);
  EXPECT_EQ(p.cpu_exec.ns, 20 - 6);
  EXPECT_EQ(p.other.ns, 20);
}

TEST(Priority, CommunicationIsTheOpAndTheKernelsWithItsExternalId) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   nccl:all_reduce 10..20 ext=5   launch#1 12..15
    gpu:0   ncclDevKernel_AllReduce#1 30..60 ext=5
  )");
  const PriorityPartition& p = a.report.breakdown[0].priority.value();
  EXPECT_EQ(p.communication.ns, 30 + 10);
  EXPECT_EQ(p.kernel.ns, 0);
  EXPECT_EQ(p.other.ns, 60);
}

TEST(GpuMetrics, ConcurrentBlocksAddUpToAFullMachine) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   launch#1 0..1   launch#2 1..2
    gpu:0/1   a#1 10..50 blocks=0.5 occupancy=40
    gpu:0/2   b#2 30..70 blocks=0.75 occupancy=20
  )");
  const DeviceTimeline& timeline = a.report.device_timeline[0];
  EXPECT_NEAR(timeline.utilization_percent.value(), 60, 1e-9);
  // 20 ns at 0.5, 20 ns at min(1.25, 1), 20 ns at 0.75
  EXPECT_NEAR(timeline.sm_efficiency_percent.value(), 45, 1e-6);
  EXPECT_NEAR(timeline.occupancy_percent.value(), 30, 1e-6);
}

TEST(Breakdown, WithoutAcceleratorTheHostIsTheDevice) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   loader 0..30   aten::copy_ 10..20   aten::mm 30..60
    thread:2  aten::mm 50..80
    thread:3  anno:gloo:all_reduce 70..90
    spans     other:PyTorch Profiler 0..100
  )");
  ASSERT_EQ(a.report.breakdown[0].devices.size(), 1u);
  const DeviceStep& step = a.report.breakdown[0].devices[0];
  EXPECT_EQ(step.compute.ns, 50);  // 30..80; what the loader does is input
  EXPECT_EQ(step.exposed_communication.ns, 10);
  EXPECT_EQ(step.idle.ns, 40);
  EXPECT_EQ(a.Idle(Cause::kInput), 30);
  EXPECT_EQ(a.Idle(Cause::kPython), 10);
  EXPECT_EQ(a.report.verdict.bound_by, BoundBy::kCompute);
}

}  // namespace
}  // namespace stepscope
