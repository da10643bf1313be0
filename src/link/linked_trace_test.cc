#include "link/linked_trace.h"

#include <gtest/gtest.h>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

LinkedTrace Linked(const Trace& trace, const StepRange& selected = {}) {
  TaskPool pool(1);
  return LinkTrace(trace, selected, pool);
}

TEST(LinkTrace, HoldsAllThatAFileLeavesImplicit) {
  const Trace trace = TraceText(R"(
    thread:2  aten::idle 0..10
    main      step:ProfilerStep#1 0..100    launch#1 10..12   step:ProfilerStep#2 100..200   launch#2 110..112
    gpu:0     gemm#1 20..60   gemm#2 120..160
  )");
  const LinkedTrace linked = Linked(trace);
  EXPECT_EQ(linked.links.linked_by_correlation, 2U);
  ASSERT_EQ(linked.steps.items.size(), 2U);
  EXPECT_EQ(linked.work.size(), 2U);
  EXPECT_EQ(linked.threads.size(), 2U);
  const uint32_t marker = SliceNamed(trace, "ProfilerStep#1");
  EXPECT_EQ(linked.main_thread, linked.threads.Of(trace.TrackOf(marker)));
  ASSERT_EQ(linked.windows.size(), 2U);
  EXPECT_EQ(linked.windows[1].start.ns, 100);
  EXPECT_FALSE(linked.host_device.has_value());
}

TEST(LinkTrace, StepsOutsideOfTheRangeAreMarkedAndStay) {
  const Trace trace = TraceText(R"(
    main   step:ProfilerStep#1 0..100  launch#1 10..12  step:ProfilerStep#2 100..200  launch#2 110..112
    gpu:0  gemm#1 20..60   gemm#2 120..160
  )");
  const LinkedTrace linked = Linked(trace, {.first = 2, .last = {}});
  ASSERT_EQ(linked.steps.items.size(), 2U);
  EXPECT_EQ(linked.steps.items[0].why_unused, WhyUnused::kNotSelected);
  EXPECT_NE(linked.steps.items[1].why_unused, WhyUnused::kNotSelected);
}

TEST(LinkTrace, WithoutAnAcceleratorTheHostIsTheDevice) {
  const Trace trace = TraceText("main  step:ProfilerStep#1 0..100  aten::mm 10..40");
  EXPECT_TRUE(Linked(trace).host_device.has_value());
}

TEST(StepRange, EndsAreIncludedAndMayBeOpen) {
  const StepRange some{.first = 2, .last = 4};
  EXPECT_FALSE(some.Contains(1));
  EXPECT_TRUE(some.Contains(2));
  EXPECT_TRUE(some.Contains(4));
  EXPECT_FALSE(some.Contains(5));
  EXPECT_TRUE(StepRange{}.Contains(-7));
}

}  // namespace
}  // namespace stepscope
