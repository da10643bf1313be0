#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// More false alarms and misses that were seen on real programs, each drawn small.
namespace stepscope {
namespace {

TEST(DrawnSeen, AConvolutionThatRanInTf32NeedsNoTf32) {
  const auto fired = [](std::string_view kernel) {
    return Fired(
        AdviceOnDrawn({fmt::format(
            "main op:aten::convolution 0..9  launch#1 1..5\ngpu:0 {}#1 10..990\n", kernel)}),
        "tf32-disabled");
  };
  EXPECT_FALSE(fired("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw"));
  EXPECT_FALSE(fired("cutlass_tensorop_s1688fprop_optimized_tf32_128x128"));
  EXPECT_TRUE(fired("ampere_sgemm_128x64_nn"));
}

// A fusion of XLA is fused; the same many kernels of PyTorch are a chain.
TEST(DrawnSeen, FusionsOfXlaAreNoUnfusedChain) {
  const auto fired = [](std::string_view kernel, std::string framework) {
    std::string host = "main ";
    std::string device = "gpu:0 ";
    for (int i = 1; i <= 40; ++i) {
      host += fmt::format("launch#{} {}..{}  ", i, 2 * i, 2 * i + 1);
      device += fmt::format("{}#{} {}..{}  ", kernel, i, 100 + 20 * i, 118 + 20 * i);
    }
    return Fired(
        AdviceOnDrawn({.lines = host + "\n" + device + "\n", .framework = std::move(framework)}),
        "elementwise-unfused-chain");
  };
  EXPECT_TRUE(fired("void at::native::vectorized_elementwise_kernel<4, add>", "PyTorch"));
  EXPECT_FALSE(fired("loop_add_fusion", "JAX"));
  EXPECT_FALSE(fired("input_reduce_fusion", "JAX"));
}

// A long matrix kernel on a tenth of the multiprocessors is one as well.
TEST(DrawnSeen, MatrixKernelsThatLeaveMultiprocessorsIdle) {
  const auto fired = [](std::string_view kernel, double blocks) {
    return Fired(AdviceOnDrawn({fmt::format("main launch#1 0..5\ngpu:0 {}#1 10..910 blocks={}\n",
                                            kernel, blocks)}),
                 "low-sm-efficiency");
  };
  EXPECT_TRUE(fired("ampere_bf16_s16816gemm_bf16_128x64_tn", 0.1));
  EXPECT_TRUE(fired("sm90_xmma_fprop_implicit_gemm_bf16bf16", 0.1));
  EXPECT_FALSE(fired("ampere_bf16_s16816gemm_bf16_128x64_tn", 2));
}

// Two threads call Python at the same time: what counts is when any of them does.
TEST(DrawnSeen, PythonInInputWhereCallsOverlap) {
  const Advice advice = AdviceOnDrawn(
      {.lines = "main launch#1 0..5  input:Iterator::Root::Map 90..310  op:PyFunc 100..300  "
                "launch#2 312..315\n"
                "worker input:Iterator::Root::Map 90..310  op:PyFunc 105..305\n"
                "gpu:0 gemm#1 10..100  gemm#2 320..990\n",
       .framework = "TensorFlow"});
  EXPECT_TRUE(Fired(advice, "python-in-input"));
}

// Steps that the host makes long or short hide nothing that the device does in each of them.
TEST(DrawnSeen, AnUnsteadyHostHidesNoDeviceFacts) {
  std::string text;
  int64_t at = 0;
  for (int step = 0; step < 8; ++step) {
    const int64_t length = step % 2 == 0 ? 1'000'000 : 3'000'000;
    text += fmt::format("main step:ProfilerStep#{} {}..{}  op:aten::mm {}..{}  launch#{} {}..{}\n",
                        step, at, at + length, at, at + 9'000, step + 1, at + 1'000, at + 5'000);
    text += fmt::format(
        "gpu:0 cutlass_80_tensorop_f16_s16816gemm_f16_64x64_32x6_nn_align1#{} "
        "{}..{}\n",
        step + 1, at + 10'000, at + 500'000);
    at += length;
  }
  Trace trace = TraceText(text);
  trace.facts.framework = "PyTorch";
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  EXPECT_TRUE(Fired(AdviceWith(analyzed.linked, analyzed.report, {}), "gemm-dims-misaligned"));
}

}  // namespace
}  // namespace stepscope
