#include "analyze/idle/idle.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Idle, WaitingForTheLoaderIsInput) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   loader 0..40   aten::mm 40..60   launch#1 45..50
    gpu:0   gemm#1 55..100
  )");
  EXPECT_EQ(a.Idle(Cause::kInput), 40);
  EXPECT_EQ(a.Idle(Cause::kHostOp), 5);   // aten::mm before its launch
  EXPECT_EQ(a.Idle(Cause::kLaunch), 10);  // the call, and from its end to the kernel's start
  EXPECT_EQ(a.report.breakdown[0].devices[0].idle.ns, 55);
}

TEST(Idle, AnythingInsideTheLoaderIsInput) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   loader 0..50   aten::copy_ 10..40   launch#1 60..62
    main    cudaStreamSynchronize#9 20..30
    gpu:0   gemm#1 62..100
  )");
  EXPECT_EQ(a.Idle(Cause::kInput), 50);
  EXPECT_EQ(a.Idle(Cause::kSync), 0);
  EXPECT_EQ(a.Row(Cause::kInput)->example,
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
}

TEST(Idle, ReturningLateFromASynchronisationIsSync) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   launch#1 0..5   aten::item 10..50   sync#8 12..40
    main    aten::add 50..58   launch#2 52..56
    gpu:0   mul#1 5..20   add#2 60..100
  )");
  EXPECT_EQ(a.Idle(Cause::kSync), 20);
  EXPECT_EQ(a.Idle(Cause::kHostOp), 12);
  EXPECT_EQ(a.Idle(Cause::kLaunch), 5 + 8);  // the first five before mul, then 52..60
  const IdleCause& sync = *a.Row(Cause::kSync);
  EXPECT_EQ(sync.gaps, 1u);
  EXPECT_EQ(sync.longest.start.ns, 20);
  EXPECT_EQ(sync.longest.length.ns, 20);
  EXPECT_EQ(sync.example, "aten::item → cudaStreamSynchronize");
  EXPECT_EQ(sync.longest.blamed, SliceId{SliceNamed(a.trace, "cudaStreamSynchronize")});
  EXPECT_EQ(sync.longest.next_work, SliceId{SliceNamed(a.trace, "add")});
}

TEST(Idle, WorkAlreadyLaunchedIsLaunchWhateverTheThreadDoes) {
  // The thread waits for a kernel that the device has not started yet: the wait is not the cause.
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   launch#1 0..2   launch#2 3..5   sync#8 6..95
    gpu:0   a#1 2..20   b#2 30..90
  )");
  EXPECT_EQ(a.Idle(Cause::kLaunch), 2 + 10);
  EXPECT_EQ(a.Idle(Cause::kSync), 5);  // 90..95
  EXPECT_EQ(a.Idle(Cause::kPython), 5);
}

TEST(Idle, ACopyCallThatWaitsForItsCopyIsCopyWait) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   cudaMemcpyAsync#1 10..50   launch#2 60..62
    gpu:0   Memcpy HtoD#1 20..40   gemm#2 62..100
  )");
  EXPECT_EQ(a.Idle(Cause::kCopyWait), 10 + 10);
}

TEST(Idle, AnAsynchronousCopyCallIsLaunch) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100   cudaMemcpyAsync#1 10..15
    gpu:0   Memcpy HtoD#1 20..100
  )");
  EXPECT_EQ(a.Idle(Cause::kCopyWait), 0);
  EXPECT_EQ(a.Idle(Cause::kLaunch), 10);
}

TEST(Idle, TheLoopAnswersWhileTheLaunchingThreadHasNotBegun) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   launch#1 0..2   aten::loss 20..40
    thread:2  MmBackward0 50..60   launch#2 52..54
    gpu:0     a#1 2..10   b#2 54..100
  )");
  EXPECT_EQ(a.Idle(Cause::kPython), 10 + 10);  // 10..20 and 40..50: only the step is open
  EXPECT_EQ(a.Idle(Cause::kHostOp), 20 + 2);
}

TEST(Idle, ProfilerOverheadAndModuleLoading) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   aten::mm 0..50   launch#1 40..50
    overhead  overhead:Instrumentation 5..15   overhead:Lazy Function Loading 20..40
    gpu:0     a#1 50..100
  )");
  EXPECT_EQ(a.Idle(Cause::kProfiler), 10);
  EXPECT_EQ(a.Idle(Cause::kCompile), 20);
  EXPECT_EQ(a.Idle(Cause::kHostOp), 10);
  EXPECT_EQ(a.Idle(Cause::kLaunch), 10);
}

TEST(Idle, FramesMakeNothingIntoPython) {
  const Analyzed a = AnalyzeText(R"(
    main    py:train.py(3): train 0..60   launch#1 20..22
    gpu:0   a#1 22..30   b#2 70..100
    main    cuLaunchKernel#2 65..70
  )");
  EXPECT_EQ(a.Idle(Cause::kPython), 30 + 5);
  EXPECT_EQ(a.Idle(Cause::kUnknown), 0);
}

TEST(Idle, WithoutMarkersAndFramesNothingIsUnknown) {
  const Analyzed a = AnalyzeText(R"(
    main    launch#1 20..22   cuLaunchKernel#2 65..70
    gpu:0   a#1 22..30   b#2 70..100
  )");
  EXPECT_EQ(a.Idle(Cause::kUnknown), 35);
  EXPECT_EQ(a.Idle(Cause::kLaunch), 5);
}

TEST(Idle, BetweenStepsIsItsOwnCause) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..50   launch#1 0..2   step:ProfilerStep#2 60..110   launch#2 60..62
    gpu:0   a#1 2..50   b#2 62..110
  )");
  EXPECT_EQ(a.Idle(Cause::kBetweenSteps), 10);
  EXPECT_EQ(a.report.breakdown[0].devices[0].idle.ns + a.report.breakdown[1].devices[0].idle.ns, 4);
}

// Whatever the trace, every nanosecond of a step has exactly one place.
TEST(Idle, AddsUpToIdleTime) {
  EXPECT_TRUE(rc::check([] {
    std::string text = "main step:ProfilerStep#1 0..1000\n";
    int64_t host = 0;
    int64_t device = 0;
    const int launches = *rc::gen::inRange(1, 20);
    for (int i = 1; i <= launches; ++i) {
      const int64_t from = host + *rc::gen::inRange(0, 40);
      const int64_t to = from + *rc::gen::inRange(1, 20);
      const bool backward = *rc::gen::inRange(0, 2) == 0;
      const std::string row = backward ? "thread:2 " : "main ";
      text += row + "aten::op " + std::to_string(from) + ".." + std::to_string(to) + "\n";
      text += row + "launch#" + std::to_string(i) + " " + std::to_string(from) + ".." +
              std::to_string(to) + "\n";
      host = to;
      device = std::max(device, to) + *rc::gen::inRange(0, 30);
      const int64_t length = *rc::gen::inRange(0, 40);
      text += "gpu:0 kernel#" + std::to_string(i) + " " + std::to_string(device) + ".." +
              std::to_string(device + length) + "\n";
      device += length;
    }
    const Analyzed a = AnalyzeText(text);
    const DeviceStep& step = a.report.breakdown.at(0).devices.at(0);
    DurationNs causes;
    for (const DurationNs cause : step.idle_causes) causes += cause;
    RC_ASSERT(causes == step.idle);
    RC_ASSERT((step.compute + step.idle) == a.linked.steps.items[0].duration);
  }));
}

// gloo works on a thread of its own, and copies to the host and back are part of it: the loop that
// does nothing meanwhile waits for communication.
TEST(Idle, CollectivesOnTheHostAreCommunication) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   launch#1 1..3   launch#3 90..92
    thread:2  anno:gloo:all_reduce 20..80   launch#2 22..24
    gpu:0     gemm#1 5..15   Memcpy_DtoH#2 25..30   gemm#3 95..100
  )");
  // From 20 to 24, when the copy is launched, and from 30 to 80.
  EXPECT_EQ(a.Idle(Cause::kCommunicationWait), 4 + 50);
  EXPECT_EQ(a.Row(Cause::kCommunicationWait)->example, "gloo:all_reduce");
}

// A thread that launches meanwhile is the cause itself.
TEST(Idle, WorkOfTheLoopIsNotHiddenByCollectives) {
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   launch#1 1..3   aten::mm 20..90   launch#2 85..88
    thread:2  anno:gloo:all_reduce 20..80
    gpu:0     gemm#1 5..15   gemm#2 90..100
  )");
  EXPECT_EQ(a.Idle(Cause::kCommunicationWait), 0);
}

}  // namespace
}  // namespace stepscope
