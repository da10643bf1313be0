#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// Sentences that someone who read the advice of all profiles at hand called false, each drawn
// small.
namespace stepscope {
namespace {

// Gradients leave for gloo and come back: communication, no op that lacks a kernel. The same copies
// of the program's own are one.
TEST(Sceptic, CopiesOfACollectiveAreNoIsland) {
  const auto fired = [](std::string_view out, std::string_view back) {
    return Fired(AdviceOnDrawn({fmt::format(
                     "main launch#1 0..5  {} 6..40  cudaMemcpyAsync#2 8..10\n"
                     "other {} 480..520  cudaMemcpyAsync#3 500..505\n"
                     "main launch#4 610..612\n"
                     "gpu:0 gemm#1 10..300  Memcpy DtoH (Device -> Pinned)#2 300..350 "
                     "bytes=1000000  Memcpy HtoD (Pinned -> Device)#3 600..650 bytes=1000000  "
                     "gemm#4 650..990\n",
                     out, back)}),
                 "cpu-op-between-gpu-ops");
  };
  EXPECT_TRUE(fired("op:aten::copy_", "op:aten::copy_"));
  EXPECT_FALSE(fired("op:c10d::allreduce_", "op:aten::copy_"));
  EXPECT_FALSE(fired("op:aten::copy_", "anno:gloo:all_reduce"));
}

// Gradients that are accumulated travel in every fourth step: no checkpoint.
TEST(Sceptic, CopiesOfACollectiveAreNoCheckpoint) {
  const auto fired = [](std::string_view op) {
    std::string text;
    int64_t at = 0;
    for (int step = 0; step < 6; ++step) {
      const bool sends = step == 3;
      const int64_t length = sends ? 5'000'000 : 1'000'000;
      text += fmt::format("main step:ProfilerStep#{} {}..{}  launch#{} {}..{}\n", step, at,
                          at + length, step * 10 + 1, at, at + 5'000);
      text += fmt::format("gpu:0 gemm#{} {}..{}\n", step * 10 + 1, at + 10'000, at + 990'000);
      if (sends) {
        text += fmt::format("main {} {}..{}  call:cudaMemcpyAsync#{} {}..{}\n", op, at + 994'000,
                            at + 997'000, step * 10 + 2, at + 995'000, at + 996'000);
        text += fmt::format("gpu:0 Memcpy_DtoH (Device -> Pinned)#{} {}..{} bytes=8388608\n",
                            step * 10 + 2, at + 1'000'000, at + 1'500'000);
      }
      at += length;
    }
    Trace trace = TraceText(text);
    trace.facts.framework = "PyTorch";
    const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
    return Fired(AdviceWith(analyzed.linked, analyzed.report, {}), "checkpoint-stall");
  };
  EXPECT_TRUE(fired("op:aten::copy_"));
  EXPECT_FALSE(fired("op:c10d::allreduce_"));
}

// ONNX Runtime records its runs, not what the program does between them.
TEST(Sceptic, NothingIsSaidOfTheTimeBetweenRunsOfOnnxRuntime) {
  const auto fired = [](Format format) {
    Trace trace = TraceText(
        Repeated("main step:train#$ 0..1000  launch#1 0..5\ngpu:0 gemm#1 10..1000\n", 4, 1100));
    trace.facts.format = format;
    trace.facts.framework = "ONNX Runtime";
    const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
    return Fired(AdviceWith(analyzed.linked, analyzed.report, {}), "inter-step-gap");
  };
  EXPECT_FALSE(fired(Format::kOnnxRuntime));
  EXPECT_TRUE(fired(Format::kChrome));
}

// The device counts from its own beginning, the host from 1970: the profile does not last decades.
TEST(Sceptic, TwoClocksAreNoLongProfile) {
  Trace trace = TraceText(
      "main op:MatMul 1700000000000000000..1700000000000900000\n"
      "gpu:0 gemm 0..9000000  gemm 9000000..10000000\n");
  trace.facts.framework = "TensorFlow";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  EXPECT_EQ(advice.step.ns, 10'000'000);
  EXPECT_FALSE(Fired(advice, "gpu-low-utilization"));
}

// What a program allocates where it sets out is not taken for a steady step.
TEST(Sceptic, AllocationsWithoutStepsAreNotSteady) {
  Trace trace = TraceText(
      "main call:cudaMalloc 0..300000  call:cudaMalloc 300000..700000  launch#1 800000..805000\n"
      "gpu:0 gemm#1 810000..1000000\n");
  trace.facts.framework = "PyTorch";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  EXPECT_FALSE(Fired(advice, "allocator-retry-steady"));
  EXPECT_TRUE(
      std::any_of(advice.cannot_tell.begin(), advice.cannot_tell.end(),
                  [](const CannotTellRow& row) { return row.rule == "allocator-retry-steady"; }));
}

// Two threads multiply at the same time: 1,600 µs of work are 900 of the 1,000 µs, not 160 %.
TEST(Sceptic, TimeOfThreadsIsNoTimeOfTheStep) {
  const Advice advice = AdviceOnDrawn({"main op:MatMul 0..800\nworker op:MatMul 100..900\n"});
  const Finding* hot = FindingOf(advice, "hot-op-dominates");
  ASSERT_NE(hot, nullptr);
  EXPECT_NE(Render(hot->title, Language::kEnglish).find("900 µs of each 1.00 ms"),
            std::string::npos)
      << Render(hot->title, Language::kEnglish);
}

// The device work that stays, 700 of 1,000 µs, bounds what any change gives.
TEST(Sceptic, NoFindingPromisesMoreThanItCosts) {
  const Advice advice = AdviceOnDrawn(
      {"main py:train.py(12): next_batch 0..200  launch#1 202..205  launch#2 206..208\n"
       "gpu:0 gemm#1 210..600  gemm#2 600..910\n"});
  const Finding* input = FindingOf(advice, "input-bound-step");
  ASSERT_NE(input, nullptr);
  EXPECT_LE(input->saving.hi.ns, 300'000);
  EXPECT_LE(input->saving.lo, input->saving.replay_lo);
  EXPECT_GE(input->saving.hi, input->saving.replay_hi);
}

}  // namespace
}  // namespace stepscope
