#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"
#include "analyze/testing/real_trace.h"

// Drawn steps that need more than a repeated picture: kernels that change, skipped steps, machines.
namespace stepscope {
namespace {

// Six kernels per step, `usual` µs each; `late` in the last of four steps.
std::string Kernels(int usual, int late) {
  std::string text;
  for (int step = 0; step < 4; ++step) {
    const int length = step == 3 ? late : usual;
    text += fmt::format("main step:ProfilerStep#{} {}..{}\n", step, step * 1'000'000,
                        (step + 1) * 1'000'000);
    for (int k = 0; k < 6; ++k) {
      const int64_t start = (step * 1000 + 20 + k * length) * 1000LL;
      text += fmt::format("main launch#{} {}..{}\n", step * 10 + k + 1, step * 1'000'000 + k * 2000,
                          step * 1'000'000 + k * 2000 + 1000);
      text += fmt::format("gpu:0 kernel_{}#{} {}..{}\n", "abc"[k % 3], step * 10 + k + 1, start,
                          start + length * 1000LL);
    }
  }
  return text;
}

Advice AdviceOnText(const std::string& text) {
  const Analyzed analyzed = AnalyzeText(text);
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

// 100 µs become 130 in the last quarter: 30 %; 103 are within the 5 % of the rule.
TEST(DrawnMore, ClockThrottling) {
  EXPECT_TRUE(Fired(AdviceOnText(Kernels(100, 130)), "clock-throttling"));
  EXPECT_FALSE(Fired(AdviceOnText(Kernels(100, 103)), "clock-throttling"));
}

// A scaler looks for Inf in each of four steps, and the optimizer runs in three: one was skipped.
TEST(DrawnMore, NanSourceCountsSkippedSteps) {
  Drawn drawn{
      "main launch#1 0..5  op:aten::_amp_foreach_non_finite_check_and_unscale_ 100..110\n"
      "gpu:0 gemm#1 10..990\n"};
  for (int step = 0; step < 3; ++step) {
    drawn.once += fmt::format("main anno:Optimizer.step#SGD.step {}..{}\n",
                              step * 1'000'000 + 200'000, step * 1'000'000 + 300'000);
  }
  EXPECT_TRUE(Fired(AdviceOnDrawn(drawn), "nan-source"));
  drawn.once += "main anno:Optimizer.step#SGD.step 3200000..3300000\n";
  EXPECT_FALSE(Fired(AdviceOnDrawn(drawn), "nan-source"));
}

// 1 of 1,000 µs is no work; 500 are.
TEST(DrawnMore, IdleVisibleGpu) {
  const std::string step = "main launch#1 0..5  launch#2 5..7\ngpu:0 gemm#1 10..990\n";
  EXPECT_TRUE(Fired(AdviceOnDrawn({step + "gpu:1 gemm#2 10..11\n"}), "idle-visible-gpu"));
  EXPECT_FALSE(Fired(AdviceOnDrawn({step + "gpu:1 gemm#2 10..510\n"}), "idle-visible-gpu"));
}

std::string Regions(int count) {
  std::string text;
  for (int r = 0; r < count; ++r) {
    const int start = r * 240;
    text += fmt::format("main op:Torch-Compiled Region: {}/0 {}..{}  launch#{} {}..{}\n", r, start,
                        start + 200, r + 1, start + 100, start + 105);
    text += fmt::format("gpu:0 gemm#{} {}..{}\n", r + 1, start + 110, start + 230);
  }
  return text;
}

// Forward and backward are two regions without a break.
TEST(DrawnMore, GraphBreaks) {
  EXPECT_TRUE(Fired(AdviceOnDrawn({Regions(4)}), "graph-breaks"));
  EXPECT_FALSE(Fired(AdviceOnDrawn({Regions(2)}), "graph-breaks"));
}

std::string Selects(int count) {
  std::string text = "main launch#1 490..495\ngpu:0 gemm#1 500..990\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("main op:aten::select {}..{}\n", i * 20, i * 20 + 10);
  }
  return text;
}

TEST(DrawnMore, PythonLoopOfOps) {
  EXPECT_TRUE(Fired(AdviceOnDrawn({Selects(20)}), "python-loop-of-ops"));
  EXPECT_FALSE(Fired(AdviceOnDrawn({Selects(19)}), "python-loop-of-ops"));
}

// 2.3 busy threads, of which two are input: too many for two cores, fine for four.
TEST(DrawnMore, HostThreadContention) {
  const Drawn drawn{
      "main op:aten::mm 0..300  launch#1 250..260\n"
      "gpu:0 gemm#1 265..1000\n"
      "thread:2 input:Iterator::Root::Map 0..1000\n"
      "thread:3 input:Iterator::Root::Map 0..1000\n"};
  const auto on = [&](int cores) {
    Given beside;
    beside.machine = MachineFacts{.logical_cores = cores, .physical_cores = cores};
    return AdviceOnDrawn(drawn, beside);
  };
  EXPECT_NE(CannotTellOf(AdviceOnDrawn(drawn), "host-thread-contention"), nullptr);
  EXPECT_TRUE(Fired(on(2), "host-thread-contention"));
  EXPECT_FALSE(Fired(on(4), "host-thread-contention"));
}

Advice WithAllocated(int64_t total) {
  Trace trace =
      TraceText(Repeated("main step:ProfilerStep#$ 0..1000  launch#1 0..5\ngpu:0 gemm#1 "
                         "10..990\nmemory gpu:0 +512@10 -512@20\n",
                         4, 1000));
  for (Device& device : trace.devices) device.memory_bytes = 16'000'000'000;
  for (Allocation& event : trace.allocations) event.total_allocated = total;
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

TEST(DrawnMore, MemoryNearCapacity) {
  EXPECT_TRUE(Fired(WithAllocated(14'500'000'000), "memory-near-capacity"));
  EXPECT_FALSE(Fired(WithAllocated(14'300'000'000), "memory-near-capacity"));
}

// 100 MB in 500 µs are 200 GB/s; of an all-reduce of two ranks the bus carries 2 * (2 - 1) / 2 of
// the bytes, so 200 GB/s as well. Half of 450 is more, half of 350 is not.
TEST(DrawnMore, CollectiveBelowBandwidth) {
  Trace trace = TraceText(
      Repeated("main step:ProfilerStep#$ 0..1000  launch#1 0..5  launch#2 6..9\n"
               "gpu:0 gemm#1 10..300  ncclDevKernel_AllReduce_Sum_f32_RING_LL#2 300..800\n",
               4, 1000));
  trace.collectives.push_back({.bytes = 100'000'000, .group_size = 2});
  trace.device_args.ForEach([&](DeviceArgs& args) {
    if (trace.slices.kind[args.slice] == Kind::kCollective) args.collective = 0;
  });
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const LinkedTrace* const rank = &analyzed.linked;
  const auto with = [&](double bus) {
    Given beside;
    beside.job = JobFacts{.bus_gb_per_s = bus};
    return AdviceWith(analyzed.linked, analyzed.report, beside, {rank, rank});
  };
  EXPECT_TRUE(Fired(with(450), "collective-below-bandwidth"));
  EXPECT_FALSE(Fired(with(350), "collective-below-bandwidth"));
  const Advice alone = AdviceWith(analyzed.linked, analyzed.report, {});
  EXPECT_NE(CannotTellOf(alone, "collective-below-bandwidth"), nullptr);
}

// Two towers write the same average, and a later op of each waits for its write.
TEST(DrawnMore, MovingAverageStall) {
  const auto advice = [](std::vector<std::string_view> relu_0,
                         std::vector<std::string_view> relu_1) {
    Given beside;
    beside.graph = GraphDef{};
    const auto add = [&](std::string_view name, std::string_view op,
                         std::vector<std::string_view> inputs) {
      NodeDef node;
      node.name = name;
      node.op = op;
      node.inputs = std::move(inputs);
      beside.graph->nodes.push_back(std::move(node));
    };
    add("bn/moving_mean", "VariableV2", {});
    add("tower_0/bn/AssignMovingAvg", "AssignSub", {"bn/moving_mean", "x"});
    add("tower_1/bn/AssignMovingAvg", "AssignSub", {"bn/moving_mean", "x"});
    add("tower_0/relu", "Relu", std::move(relu_0));
    add("tower_1/relu", "Relu", std::move(relu_1));
    return AdviceOnDrawn({.lines = "main op:Relu 0..900\n", .framework = "TensorFlow"}, beside);
  };
  EXPECT_TRUE(
      Fired(advice({"x", "^tower_0/bn/AssignMovingAvg"}, {"x", "^tower_1/bn/AssignMovingAvg"}),
            "bn-moving-average-stall"));
  EXPECT_FALSE(
      Fired(advice({"x", "^tower_0/bn/AssignMovingAvg"}, {"x"}), "bn-moving-average-stall"));
}

// Keras over a slow map, with tf.data's own rewrites off and without prefetch; and mended.
TEST(DrawnMore, SlowIteratorAndMissingPrefetch) {
  const std::string slow = TestData("tf_xplane/keras_inputbound_plain.xplane.pb.zst");
  const std::string fixed = TestData("tf_xplane/keras_fixed.xplane.pb.zst");
  const AdvisedProfile bad = AdviseFiles({slow});
  const AdvisedProfile good = AdviseFiles({fixed});
  for (const char* rule : {"tfdata-slow-iterator", "missing-prefetch", "python-in-input"}) {
    EXPECT_TRUE(Fired(bad.advice.front(), rule)) << rule;
    EXPECT_FALSE(Fired(good.advice.front(), rule)) << rule;
  }
}

}  // namespace
}  // namespace stepscope
