#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/hardware.h"
#include "advise/testing/drawn.h"
#include "advise/words.h"
#include "base/message.h"

// What a diagnosis must not get wrong: false alarms and misses that were seen on real programs,
// each drawn small.
namespace stepscope {
namespace {

Drawn Step(std::string lines, std::string framework = "PyTorch") {
  return {.lines = std::move(lines), .framework = std::move(framework)};
}

// A call of 14 µs ends, then the program prepares its next batch for 800 µs. The device idles for
// what runs, not for what ended before.
TEST(DrawnDiagnosis, IdleTimeIsChargedToWhatRanInIt) {
  const Advice advice = AdviceOnDrawn(
      Step("main launch#1 0..5  sync 20..34  py:prepare.py(3): encode 34..902  launch#2 902..905\n"
           "gpu:0 gemm#1 10..30  gemm#2 908..990\n"));
  EXPECT_FALSE(Fired(advice, "blocking-sync-calls"));
  const Finding* idle = FindingOf(advice, "gpu-idle-gap-attribution");
  ASSERT_NE(idle, nullptr);
  // The step less the device work that stays: 1000 - 102 µs, and what is cut is 868 µs long.
  EXPECT_LE(idle->saving.replay_hi.ns, 900'000);
  EXPECT_GE(idle->saving.replay_lo.ns, 800'000);
  EXPECT_EQ(idle->severity, FindingSeverity::kHigh);
}

TEST(DrawnDiagnosis, CollectivesOnTheHostAreCommunication) {
  const Advice advice =
      AdviceOnDrawn(Step("main launch#1 0..5  anno:gloo:all_reduce 100..800  launch#2 802..805\n"
                         "gpu:0 gemm#1 10..100  gemm#2 810..990\n"));
  EXPECT_TRUE(Fired(advice, "comm-exposed"));
  EXPECT_FALSE(Fired(advice, "gpu-idle-gap-attribution"));
}

TEST(DrawnDiagnosis, AFunctionThatFetchesBatchesIsInput) {
  const std::string rest = "  launch#2 702..705\ngpu:0 gemm#1 10..100  gemm#2 710..990\n";
  EXPECT_TRUE(
      Fired(AdviceOnDrawn(Step("main launch#1 0..5  py:train.py(12): next_batch 100..700" + rest)),
            "input-bound-step"));
  EXPECT_FALSE(
      Fired(AdviceOnDrawn(Step("main launch#1 0..5  py:train.py(12): next_token 100..700" + rest)),
            "input-bound-step"));
}

TEST(DrawnDiagnosis, AnRtxA1000IsNoA100) {
  Device device;
  device.name = "NVIDIA RTX A1000";
  EXPECT_EQ(HardwareOf(device), nullptr);
  device.name = "NVIDIA A100-SXM4-80GB";
  ASSERT_NE(HardwareOf(device), nullptr);
  EXPECT_EQ(HardwareOf(device)->name, "A100");
}

TEST(DrawnDiagnosis, TenChecksOfLossesAreNoAnomalyMode) {
  std::string own = "main launch#1 0..5";
  std::string mode = "main launch#1 0..5";
  for (int i = 0; i < 12; ++i) {
    const int at = 100 + 70 * i;
    own += fmt::format("  op:aten::isfinite {}..{}", at, at + 20);
    mode += fmt::format("  op:MulBackward0 {}..{}  op:aten::isnan {}..{}", at, at + 40, at + 10,
                        at + 30);
  }
  const std::string device = "\ngpu:0 gemm#1 10..90\n";
  EXPECT_FALSE(Fired(AdviceOnDrawn(Step(own + device)), "debug-apis-left-on"));
  EXPECT_TRUE(Fired(AdviceOnDrawn(Step(mode + device)), "debug-apis-left-on"));
}

TEST(DrawnDiagnosis, AFewOpsTellNothingOfGradMode) {
  std::string many = "main launch#1 0..5";
  for (int i = 0; i < 40; ++i) {
    many += fmt::format("  op:aten::mm {}..{} seq={}", 100 + 20 * i, 115 + 20 * i, i + 1);
  }
  const std::string device = "\ngpu:0 gemm#1 10..90\n";
  EXPECT_TRUE(Fired(AdviceOnDrawn(Step(many + device)), "grad-mode-in-inference"));
  EXPECT_FALSE(Fired(AdviceOnDrawn(Step("main launch#1 0..5  op:aten::mm 100..120 seq=1" + device)),
                     "grad-mode-in-inference"));
}

TEST(DrawnDiagnosis, TransposesOnACpu) {
  EXPECT_TRUE(Fired(
      AdviceOnDrawn(Step("main op:a:Transpose 0..330  op:b:Conv2D 330..1000\n", "TensorFlow")),
      "layout-transpose-overhead"));
  EXPECT_FALSE(
      Fired(AdviceOnDrawn(Step("main op:a:Transpose 0..20  op:b:Conv2D 20..1000\n", "TensorFlow")),
            "layout-transpose-overhead"));
}

TEST(DrawnDiagnosis, AFixIsForTheFrameworkOfTheProfile) {
  const Message torch = FixOf("optimizer-not-fused", Framework::kPyTorch);
  ASSERT_FALSE(torch.empty());
  EXPECT_NE(FixOf("optimizer-not-fused", Framework::kOnnxRuntime), torch);
  EXPECT_NE(FixOf("kernel-launch-bound", Framework::kOnnxRuntime),
            FixOf("kernel-launch-bound", Framework::kPyTorch));
  // Nobody said which framework it is: the fix says whose it is, or is about the profiler at hand.
  EXPECT_EQ(Render(FixOf("optimizer-not-fused", Framework::kOther), Language::kEnglish),
            "in PyTorch: " + Render(torch, Language::kEnglish));
  EXPECT_THAT(Render(FixOf("profile-overhead-distorts", Framework::kOther), Language::kEnglish),
              testing::HasSubstr("nsys profile"));
}

// One step of six copies 8 MB to the host and then stands still; nothing is named.
TEST(DrawnDiagnosis, ABurstOfCopiesAndSilenceIsACheckpoint) {
  std::string text;
  int64_t at = 0;
  for (int step = 0; step < 6; ++step) {
    const bool saves = step == 3;
    const int64_t length = saves ? 5'000'000 : 1'000'000;
    text += fmt::format("main step:ProfilerStep#{} {}..{}  launch#{} {}..{}\n", step, at,
                        at + length, step * 10 + 1, at, at + 5'000);
    text += fmt::format("gpu:0 gemm#{} {}..{}\n", step * 10 + 1, at + 10'000, at + 990'000);
    if (saves) {
      text += fmt::format("main call:cudaMemcpyAsync#{} {}..{}\n", step * 10 + 2, at + 995'000,
                          at + 996'000);
      text += fmt::format("gpu:0 Memcpy_DtoH (Device -> Pageable)#{} {}..{} bytes=8388608\n",
                          step * 10 + 2, at + 1'000'000, at + 1'500'000);
    }
    at += length;
  }
  Trace trace = TraceText(text);
  trace.facts.framework = "PyTorch";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  const Finding* finding = FindingOf(advice, "checkpoint-stall");
  ASSERT_NE(finding, nullptr);
  // Once in six steps, 4 ms each; it may be twice.
  EXPECT_EQ(finding->saving.replay_hi.ns, 8'000'000 / 6);
  EXPECT_EQ(finding->saving.replay_lo.ns, 2'000'000 / 6);
}

// Runs of a session are as long as they were traced, not until the next one.
TEST(DrawnDiagnosis, ARunOfASessionIsAStepOfItsOwnSpan) {
  Trace trace = TraceText(
      "main step:session.run#0 0..10000  op:MatMul 0..9000  step:session.run#1 100000..110000  "
      "op:MatMul 100000..109000  step:session.run#2 200000..210000  op:MatMul 200000..209000\n");
  trace.facts.format = Format::kRunMetadata;
  trace.facts.framework = "TensorFlow";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  ASSERT_EQ(analyzed.linked.steps.items.size(), 3);
  EXPECT_EQ(analyzed.linked.steps.items[0].duration.ns, 10'000);
  EXPECT_EQ(analyzed.report.step_statistics.median->ns, 10'000);
}

// Forty ops with a launch each, 20 µs apart: the host is the limit, and the profiler slowed it.
TEST(DrawnDiagnosis, TheStepWithoutTheProfiler) {
  std::string host = "main ";
  std::string device = "gpu:0 ";
  for (int i = 0; i < 40; ++i) {
    const int at = 20 * i;
    host += fmt::format("op:aten::linear {}..{}  op:aten::addmm {}..{}  launch#{} {}..{}  ", at,
                        at + 18, at + 4, at + 16, i + 1, at + 7, at + 13);
    device += fmt::format("gemm#{} {}..{}  ", i + 1, at + 12, at + 15);
  }
  const auto unprofiled = [](std::string lines) {
    Trace trace = TraceText(Repeated("main step:ProfilerStep#$ 0..1000\n" + lines, 4, 1000));
    trace.facts.framework = "PyTorch";
    trace.facts.format = Format::kKineto;
    return AnalyzeDrawn(std::move(trace)).report.step_statistics;
  };
  const StepStatistics bound_by_host = unprofiled(host + "\n" + device + "\n");
  ASSERT_TRUE(bound_by_host.unprofiled_median);
  EXPECT_LT(bound_by_host.unprofiled_median->ns, 950'000);
  EXPECT_GT(bound_by_host.unprofiled_median->ns, 400'000);
  EXPECT_LE(*bound_by_host.unprofiled_lo, *bound_by_host.unprofiled_median);
  EXPECT_GE(*bound_by_host.unprofiled_hi, *bound_by_host.unprofiled_median);
  // The same calls in front of a kernel that runs until the end: nothing is given back.
  const StepStatistics bound_by_device =
      unprofiled(host + "launch#99 810..815  sync 820..995\n" + device + "gemm#99 816..990\n");
  ASSERT_TRUE(bound_by_device.unprofiled_median);
  EXPECT_LE(*bound_by_device.unprofiled_median, *bound_by_device.median);
}

}  // namespace
}  // namespace stepscope
