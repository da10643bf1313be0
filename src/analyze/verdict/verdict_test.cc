#include "analyze/verdict/verdict.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

DeviceStep StepOf(int64_t compute, std::initializer_list<std::pair<Cause, int64_t>> causes) {
  DeviceStep step;
  step.compute.ns = compute;
  for (const auto& [cause, ns] : causes) step.idle_causes[static_cast<size_t>(cause)].ns = ns;
  return step;
}

BoundBy Judged(const DeviceStep& step, int64_t feeding = 0) {
  return Judge(SharesOf(step, {feeding}), {1000}).bound_by;
}

TEST(Verdict, TheLargestShareWins) {
  EXPECT_EQ(Judged(StepOf(600, {{Cause::kInput, 400}})), BoundBy::kCompute);
  EXPECT_EQ(Judged(StepOf(400, {{Cause::kInput, 600}})), BoundBy::kInput);
}

TEST(Verdict, FortyPercentIsEnoughWithoutALead) {
  EXPECT_EQ(Judged(StepOf(400, {{Cause::kInput, 399}, {Cause::kSync, 201}})), BoundBy::kCompute);
  EXPECT_EQ(Judged(StepOf(399, {{Cause::kInput, 398}, {Cause::kSync, 203}})), BoundBy::kMixed);
}

TEST(Verdict, ALeadOfMoreThanTenPointsIsEnoughBelowFortyPercent) {
  EXPECT_EQ(Judged(StepOf(350, {{Cause::kInput, 250}, {Cause::kSync, 200}})), BoundBy::kMixed);
  EXPECT_EQ(Judged(StepOf(350, {{Cause::kInput, 249}, {Cause::kSync, 200}})), BoundBy::kCompute);
}

TEST(Verdict, HostTimeInShortGapsIsLaunching) {
  const DeviceStep step = StepOf(100, {{Cause::kHostOp, 500}, {Cause::kLaunch, 300}});
  EXPECT_EQ(Judged(step, 0), BoundBy::kHost);
  EXPECT_EQ(Judged(step, 400), BoundBy::kLaunch);
}

// Computing is the largest single share, but the host keeps the device waiting for longer.
TEST(Verdict, WaitingForTheHostIsOneThingHoweverManyCausesItHas) {
  const DeviceStep step =
      StepOf(460, {{Cause::kLaunch, 200}, {Cause::kSync, 140}, {Cause::kPython, 200}});
  const Verdict verdict = Judge(SharesOf(step, {0}), {1000});
  EXPECT_EQ(verdict.bound_by, BoundBy::kHost);
  EXPECT_DOUBLE_EQ(verdict.share, 0.54);
}

TEST(Verdict, WaitingForItCountsWithTheExposedTimeItself) {
  DeviceStep step = StepOf(350, {{Cause::kCommunicationWait, 300}});
  step.exposed_communication.ns = 350;
  EXPECT_EQ(Judged(step), BoundBy::kCommunication);
  step = StepOf(350, {{Cause::kCopyWait, 300}});
  step.exposed_copy.ns = 350;
  EXPECT_EQ(Judged(step), BoundBy::kCopy);
}

TEST(Verdict, NothingToJudge) { EXPECT_EQ(Judge({}, {}).bound_by, BoundBy::kUnknown); }

// A gap of 100 µs is work of the host's own; one nanosecond less is a device that is fed too
// slowly.
TEST(Verdict, TheBorderBetweenLaunchAndHost) {
  const auto verdict = [](int64_t gap) {
    const std::string end = std::to_string(20'000 + gap);
    const std::string last = std::to_string(20'000 + gap + 10'000);
    return AnalyzeText("main step:ProfilerStep#1 0.." + last + "  launch#1 0..10  aten::mm 20.." +
                       end + "  launch#2 20.." + std::to_string(30) + "  aten::add 40.." + end +
                       "  launch#3 " + std::to_string(20'000 + gap - 100) + ".." + end +
                       "\ngpu:0 a#1 10..10000  b#2 10000..20000  c#3 " + end + ".." + last)
        .report.verdict.bound_by;
  };
  EXPECT_EQ(verdict(99'999), BoundBy::kLaunch);
  EXPECT_EQ(verdict(100'000), BoundBy::kHost);
}

TEST(Verdict, IsOfTheBusiestDeviceInTheMedianUsedStep) {
  const Analyzed a = AnalyzeText(R"(
    main    step:ProfilerStep#1 0..100     launch#1 0..1     launch#2 1..2
    main    step:ProfilerStep#2 100..210   launch#3 100..101 launch#4 101..102
    main    step:ProfilerStep#3 210..330   launch#5 210..211 launch#6 211..212
    gpu:0   a#1 2..10    a#3 102..110   a#5 212..220
    gpu:1   b#2 2..100   b#4 102..210   b#6 212..330
  )");
  EXPECT_EQ(a.report.verdict.step, 1u);
  EXPECT_EQ(a.report.verdict.device, 1);
  EXPECT_EQ(a.report.verdict.bound_by, BoundBy::kCompute);
}

}  // namespace
}  // namespace stepscope
