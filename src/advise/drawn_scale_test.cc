#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// The rules about large models, each drawn with its fault and as a near miss.
namespace stepscope {
namespace {

// So many layers of attention with so many joins each, every one with a kernel of 2 µs.
std::string Decoding(int layers, int joins, std::string_view rest = "") {
  std::string host = "main ";
  std::string device = "gpu:0 ";
  int number = 0;
  int at = 1;
  const auto op = [&](std::string_view name) {
    ++number;
    host +=
        fmt::format("op:{} {}..{}  launch#{} {}..{}  ", name, at, at + 8, number, at + 2, at + 6);
    device += fmt::format("small#{} {}..{}  ", number, at + 6, at + 8);
    at += 9;
  };
  for (int layer = 0; layer < layers; ++layer) {
    for (int join = 0; join < joins; ++join) op("aten::cat");
    op("aten::scaled_dot_product_attention");
  }
  return fmt::format("{}{}\n{}\n", host, rest, device);
}

bool Explains(const Advice& advice, std::string_view finding, std::string_view cause) {
  const Finding* found = FindingOf(advice, finding);
  if (found == nullptr) return false;
  return std::any_of(found->causes.begin(), found->causes.end(),
                     [&](const ExplainedBy& by) { return by.rule == cause; });
}

TEST(DrawnScale, DecodeCacheGrows) {
  const auto advice = [](std::string lines) {
    return AdviceOnDrawn({.lines = std::move(lines), .framework = "PyTorch"});
  };
  EXPECT_TRUE(Explains(advice(Decoding(30, 2)), "kernel-launch-bound", "decode-cache-grows"));
  EXPECT_FALSE(Fired(advice(Decoding(30, 1)), "decode-cache-grows"));
  EXPECT_FALSE(Fired(advice(Decoding(20, 2)), "decode-cache-grows"));
  // Training does not decode.
  EXPECT_FALSE(Fired(advice(Decoding(30, 2, "op:MulBackward0 900..905")), "decode-cache-grows"));
}

// 30 messages of 20 µs each after the compute.
TEST(DrawnScale, SmallCollectives) {
  const auto advice = [](int messages, int64_t bytes) {
    std::string host = "main launch#1 0..5  ";
    std::string device = "gpu:0 gemm#1 10..390  ";
    for (int i = 0; i < messages; ++i) {
      host += fmt::format("launch#{} {}..{}  ", i + 2, i * 2 + 6, i * 2 + 7);
      device += fmt::format("ncclDevKernel_AllReduce_Sum_f32_RING_LL#{} {}..{}  ", i + 2,
                            400 + 20 * i, 420 + 20 * i);
    }
    Trace trace = TraceText(
        Repeated(fmt::format("main step:ProfilerStep#$ 0..1000\n{}\n{}\n", host, device), 4, 1000));
    trace.facts.framework = "PyTorch";
    trace.collectives.push_back({.bytes = bytes, .group_size = 2});
    trace.device_args.ForEach([&](DeviceArgs& args) {
      if (trace.slices.kind[args.slice] == Kind::kCollective) args.collective = 0;
    });
    const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
    return AdviceWith(analyzed.linked, analyzed.report, {});
  };
  const Advice many = advice(30, 4096);
  EXPECT_TRUE(Explains(many, "comm-exposed", "small-collectives"));
  // They take 600 µs of each step.
  EXPECT_EQ(FindingOf(many, "comm-exposed")->saving.replay_hi.ns, 600'000);
  EXPECT_FALSE(Explains(advice(19, 4096), "comm-exposed", "small-collectives"));
  EXPECT_FALSE(Explains(advice(30, 1 << 20), "comm-exposed", "small-collectives"));
}

TEST(DrawnScale, FsdpNoPrefetch) {
  const auto advice = [](std::string_view around, int gather) {
    return AdviceOnDrawn({.lines = fmt::format("main {}launch#1 0..5  launch#2 6..9\n"
                                               "gpu:0 ncclDevKernel_AllGather_RING_LL#1 {}..{}\n"
                                               "gpu:0/1 gemm#2 400..990\n",
                                               around, gather, gather + 300),
                          .framework = "PyTorch"});
  };
  const std::string fsdp = "anno:FullyShardedDataParallel.forward 0..10  ";
  EXPECT_TRUE(Explains(advice(fsdp, 50), "comm-exposed", "fsdp-no-prefetch"));
  EXPECT_FALSE(Explains(advice("", 50), "comm-exposed", "fsdp-no-prefetch"));
  // 100 of 300 µs are exposed: the gather runs ahead of the compute beside it.
  EXPECT_FALSE(Explains(advice(fsdp, 300), "comm-exposed", "fsdp-no-prefetch"));
}

TEST(DrawnScale, XlaCopies) {
  const auto advice = [](std::string_view framework, int copies) {
    return AdviceOnDrawn({.lines = fmt::format("main launch#1 0..5  launch#2 6..9\n"
                                               "gpu:0 gemm#1 10..500  loop_copy_fusion#2 500..{}\n",
                                               500 + copies),
                          .framework = std::string(framework)});
  };
  const Advice fired = advice("JAX", 60);
  ASSERT_NE(FindingOf(fired, "xla-copies"), nullptr);
  EXPECT_LE(FindingOf(fired, "xla-copies")->saving.replay_hi.ns, 60'000);
  EXPECT_FALSE(Fired(advice("JAX", 40), "xla-copies"));
  EXPECT_FALSE(Fired(advice("PyTorch", 60), "xla-copies"));
}

TEST(DrawnScale, Fp8Available) {
  const auto advice = [](std::string_view kernel, int until, std::string gpu) {
    Analyzed analyzed = AnalyzeDrawnStep(
        {.lines = fmt::format("main launch#1 0..5\ngpu:0 {}#1 10..{}\n", kernel, until),
         .gpu = std::move(gpu)});
    return AdviceWith(analyzed.linked, analyzed.report, {});
  };
  const std::string wide = "nvjet_sm90_tst_256x128_64x4_bz_coopA_NNT";
  const Advice fired = advice(wide, 600, "NVIDIA H200");
  ASSERT_NE(FindingOf(fired, "fp8-available"), nullptr);
  EXPECT_EQ(FindingOf(fired, "fp8-available")->severity, FindingSeverity::kNote);
  EXPECT_FALSE(Fired(advice(wide, 500, "NVIDIA H200"), "fp8-available"));
  EXPECT_FALSE(Fired(advice("nvjet_sm90_e4m3_256x128", 600, "NVIDIA H200"), "fp8-available"));
}

}  // namespace
}  // namespace stepscope
