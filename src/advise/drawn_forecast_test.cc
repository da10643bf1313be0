#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// What programs that no rule had seen showed: faults that were missed and false alarms, each drawn
// with its near miss.
namespace stepscope {
namespace {

Advice On(std::string lines, std::string framework = "PyTorch") {
  return AdviceOnDrawn({.lines = std::move(lines), .framework = std::move(framework)});
}

// A backward function that first runs a block of the forward pass again: 230 µs of kernels.
TEST(DrawnForecast, ActivationsRecomputed) {
  const auto advice = [](std::string_view first) {
    return On(
        fmt::format("main launch#1 0..5  op:AddmmBackward0 100..700  op:{} 110..200  "
                    "launch#2 150..160  op:aten::addmm 210..300  launch#3 250..260  "
                    "op:aten::mm 310..400  launch#4 350..360\n"
                    "gpu:0 gemm#1 10..100  norm#2 160..250  gemm#3 260..400  gemm#4 400..900\n",
                    first));
  };
  const Advice fired = advice("aten::layer_norm");
  const Finding* finding = FindingOf(fired, "activations-recomputed");
  ASSERT_NE(finding, nullptr);
  // No more than the two kernels and the two ops: 230 and 180 µs.
  EXPECT_GT(finding->saving.replay_hi.ns, 0);
  EXPECT_LE(finding->saving.replay_hi.ns, 410'000);
  // A gradient that is written with one such op is no forward pass.
  EXPECT_FALSE(Fired(advice("aten::addmm"), "activations-recomputed"));
  EXPECT_FALSE(Fired(advice("aten::mul"), "activations-recomputed"));
}

TEST(DrawnForecast, LargeReadback) {
  const auto advice = [](int length, int64_t bytes) {
    return On(
        fmt::format("main launch#1 0..5  launch#2 6..8  launch#3 9..11\n"
                    "gpu:0 gemm#1 12..400  Memcpy DtoH (Device -> Pageable)#2 400..{0} "
                    "bytes={1}  gemm#3 {0}..990\n",
                    400 + length, bytes));
  };
  const Advice fired = advice(300, 3'000'000);
  const Finding* finding = FindingOf(fired, "d2h-large-readback");
  ASSERT_NE(finding, nullptr);
  EXPECT_LE(finding->saving.replay_hi.ns, 300'000);
  // A scalar is another rule's, and a short copy nobody's.
  EXPECT_FALSE(Fired(advice(300, 4), "d2h-large-readback"));
  EXPECT_FALSE(Fired(advice(20, 3'000'000), "d2h-large-readback"));
}

TEST(DrawnForecast, BuffersNotDonated) {
  const auto explained = [](const Advice& advice) {
    const Finding* found = FindingOf(advice, "xla-copies");
    return found != nullptr &&
           std::any_of(found->causes.begin(), found->causes.end(),
                       [](const ExplainedBy& by) { return by.rule == "buffers-not-donated"; });
  };
  const auto advice = [](std::string_view copy, int64_t bytes) {
    return On(fmt::format("main launch#1 0..5  launch#2 6..9\n"
                          "gpu:0 {}#2 10..200 bytes={}  gemm#1 200..900\n",
                          copy, bytes),
              "JAX");
  };
  EXPECT_TRUE(explained(advice("MemcpyD2D", 64 << 20)));
  EXPECT_FALSE(explained(advice("MemcpyD2D", 4096)));
  // A copy kernel may change the layout.
  EXPECT_FALSE(explained(advice("loop_copy_fusion", 64 << 20)));
}

// A convolution of each channel by itself has no use for tensor cores, and its parameters are named
// after an index.
TEST(DrawnForecast, DepthwiseConvolutions) {
  const auto advice = [](std::string_view type) {
    return On(
        fmt::format("main op:aten::convolution 0..20  launch#1 5..15\n"
                    "gpu:0 void at::native::conv_depthwise2d_backward_kernel<0,1,{},int>("
                    "at::detail::IndexBoundsCheck<4ul,int>)#1 30..900\n",
                    type));
  };
  const Advice planes = advice("c10::BFloat16");
  EXPECT_FALSE(Fired(planes, "tensor-cores-unused"));
  EXPECT_FALSE(Fired(planes, "gather-scatter-bound"));
  EXPECT_TRUE(Fired(planes, "conv-layout-nonpreferred"));
  // In 32 bit channels_last has no faster kernels for them.
  EXPECT_FALSE(Fired(advice("float"), "conv-layout-nonpreferred"));
}

// Numbers that a norm wants wide are converted there and back; others need not be.
TEST(DrawnForecast, ConversionsThatGuardNumerics) {
  const auto advice = [](std::string_view between) {
    return On(
        fmt::format("main op:aten::to 0..20  launch#1 5..15  op:{} 21..30  op:aten::to 40..60  "
                    "launch#2 45..55  op:aten::mm 70..90  launch#3 75..85\n"
                    "gpu:0 convert#1 20..90  convert#2 90..180  gemm#3 180..990\n",
                    between));
  };
  const Advice guarded = advice("aten::rsqrt");
  const Finding* finding = FindingOf(guarded, "dtype-cast-churn");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, FindingSeverity::kLow);
  EXPECT_EQ(finding->saving.replay_lo.ns, 0);
  const Advice needless = advice("aten::mul");
  finding = FindingOf(needless, "dtype-cast-churn");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, FindingSeverity::kHigh);
}

Trace SessionRuns(std::string_view ops, int64_t period) {
  std::string text;
  for (int run = 0; run < 4; ++run) {
    const int64_t at = run * period;
    text += fmt::format("main step:session.run#{} {}..{}\n", run, at, at + 10'000'000);
    text += fmt::format(fmt::runtime(ops), at, at + 5'000'000, at + 5'100'000, at + 5'200'000,
                        at + 9'000'000);
  }
  Trace trace = TraceText(text);
  trace.facts.format = Format::kRunMetadata;
  trace.facts.framework = "TensorFlow";
  return trace;
}

// What runs between two recorded runs is not in the file, and what the executor does inside of one
// without an op is not Python.
TEST(DrawnForecast, NothingIsSaidOfTheTimeBetweenRuns) {
  const Analyzed analyzed =
      AnalyzeDrawn(SessionRuns("main op:MatMul {0}..{1}\nmain op:Mul {3}..{4}\n", 100'000'000));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  EXPECT_FALSE(Fired(advice, "inter-step-gap"));
  EXPECT_EQ(analyzed.report.step_statistics.median->ns, 10'000'000);
  for (const IdleCause& row : analyzed.report.idle_causes) EXPECT_NE(row.cause, Cause::kPython);
}

// The first run is warm-up; the others say what an op takes a step.
TEST(DrawnForecast, SharesAreOfTheStepsThatCount) {
  Trace trace = TraceText(
      "main step:session.run#0 0..90000000  op:PyFunc 0..40000000\n"
      "main step:session.run#1 100000000..132000000  op:PyFunc 100000000..130000000\n"
      "main step:session.run#2 200000000..232000000  op:PyFunc 200000000..230000000\n"
      "main step:session.run#3 300000000..332000000  op:PyFunc 300000000..330000000\n");
  trace.facts.format = Format::kRunMetadata;
  trace.facts.framework = "TensorFlow";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  ASSERT_TRUE(Fired(advice, "pyfunc-in-step"));
  const Finding* hot = FindingOf(advice, "hot-op-dominates");
  ASSERT_NE(hot, nullptr);
  // 30 of each 32 ms, not (40 + 3 × 30) / 3.
  EXPECT_NE(InEnglish(hot->title).find("30.0 ms of each 32.0 ms"), std::string::npos);
}

// An Enter that waits 5 ms for a product is not 5 ms of loop.
TEST(DrawnForecast, ALoopLastsAsLongAsItsOps) {
  const auto loop = [](std::string_view first) {
    std::string text = fmt::format("main op:{}\n", first);
    for (int i = 0; i < 20; ++i) {
      text += fmt::format("main op:map/while/body/Mul {}..{}\n", 900 + 2 * i, 901 + 2 * i);
    }
    return AdviceOnDrawn({.lines = text + "worker op:MatMul 2..899\n", .framework = "TensorFlow"});
  };
  // 40 µs of 1000 are the loop's, which is under a twentieth of the step.
  EXPECT_FALSE(Fired(loop("map/while/body/Enter 0..1"), "map-fn-while-loop-serial"));
}

}  // namespace
}  // namespace stepscope
