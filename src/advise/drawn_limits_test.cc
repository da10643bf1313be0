#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>

#include "advise/testing/drawn.h"

// Rules that recorded pairs show (pairs_test.cc), here at their limits: just past one they fire,
// just below they do not. Steps of 1,000 µs, so 10 µs are 1 %.
namespace stepscope {
namespace {

// A span of `length` µs that the device waits for, then work to the end of the step.
std::string Waited(const std::string& span, int length) {
  return fmt::format("main {} 0..{}  launch#1 {}..{}\ngpu:0 gemm#1 {}..1000\n", span, length,
                     length + 1, length + 2, length + 3);
}

// One kernel of `length` µs, launched by an op.
std::string Kernel(const std::string& op, const std::string& kernel, int length) {
  return fmt::format("main op:{} 0..9  launch#1 2..4\ngpu:0 {}#1 10..{}\n", op, kernel,
                     10 + length);
}

// So many spans of 10 µs, 30 µs apart.
std::string Spans(const std::string& span, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("main {} {}..{}\n", span, i * 30, i * 30 + 10);
  return text;
}

// So many ops that launch a kernel each, while the device waits for them 60 of each 100 µs.
std::string Launches(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int at = i * 100;
    text += fmt::format("main op:aten::add {}..{}  launch#{} {}..{}\n", at, at + 60, i + 1, at + 40,
                        at + 50);
    text += fmt::format("gpu:0 gemm#{} {}..{}\n", i + 1, at + 55, at + 95);
  }
  return text;
}

// So many copies of 4 bytes, 10 µs each with the call that makes them.
std::string Copies(int count) {
  std::string text = "main launch#900 910..912\ngpu:0 gemm#900 915..1000\n";
  for (int i = 0; i < count; ++i) {
    const int at = i * 15;
    text += fmt::format("main op:aten::copy_ {}..{}  cudaMemcpyAsync#{} {}..{}\n", at, at + 10,
                        i + 1, at + 2, at + 8);
    text += fmt::format("gpu:0 Memcpy HtoD (Pageable -> Device)#{} {}..{} bytes=4\n", i + 1, at + 8,
                        at + 11);
  }
  return text;
}

// A value is read when the device is done at 490; the next work starts `idle` µs after the read.
std::string Readback(int idle) {
  return fmt::format(
      "main launch#1 0..5  op:aten::item 20..501  sync 30..500  launch#2 501..503\n"
      "gpu:0 gemm#1 10..490  gemm#2 {}..1000\n",
      500 + idle);
}

// A copy or a collective of `length` µs before the device computes.
std::string Before(const std::string& work, int length, const std::string& args = "") {
  return fmt::format("main launch#1 0..3  launch#2 4..6\ngpu:0 {}#1 10..{}{}  gemm#2 {}..1000\n",
                     work, 10 + length, args, 10 + length);
}

struct AtLimit {
  std::string rule;
  std::function<std::string(int)> step;
  int fires;
  int does_not;
  std::string framework = "PyTorch";
};

std::vector<AtLimit> InputCases() {
  const auto waited = [](std::string span) {
    return [span](int length) { return Waited(span, length); };
  };
  return {
      {"input-bound-step", waited("loader"), 52, 48},
      {"dataloader-workers-zero",
       waited("anno:enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"), 52, 48},
      // 5 % of the step in a dequeue, 3 % in a feed.
      {"queue-runner-input", waited("op:QueueDequeueManyV2"), 52, 48, "TensorFlow"},
      {"feed-dict-input", waited("op:_Feed"), 32, 28, "TensorFlow"},
      {"sequential-map", waited("input:Iterator::Root::Map"), 52, 48, "TensorFlow"},
      // Get-next from 50 µs on is slow, whatever part of the step it is.
      {"missing-prefetch",
       [](int length) {
         return Waited("op:IteratorGetNext", length) +
                fmt::format("main input:Iterator::Root::Map 2..{}\n", length - 2);
       },
       52, 48, "TensorFlow"},
      // Functions of 10 µs, 32 a batch.
      {"map-function-too-small",
       [](int count) {
         return Spans("op:InstantiatedCapturedFunction::Run", count) +
                "thread:7 input:Iterator::Root::Map 0..990\n";
       },
       32, 31, "TensorFlow"},
  };
}

std::vector<AtLimit> HostCases() {
  const auto spans = [](std::string span) {
    return [span](int count) { return Spans(span, count); };
  };
  return {
      // 80 % of the step in kernels.
      {"gpu-low-utilization", [](int busy) { return Kernel("aten::mm", "gemm", busy); }, 798, 802},
      // Ten kernels per step.
      {"kernel-launch-bound", Launches, 10, 9},
      // 0.5 % idle after it.
      {"per-step-scalar-readback", Readback, 6, 4},
      {"small-memcpy-storm", Copies, 50, 49},
      {"h2d-not-overlapped",
       [](int length) {
         return Before("Memcpy HtoD (Pinned -> Device)", length, " bytes=8000000");
       },
       32, 28},
      // More than five ops per step, one by one from Python, and 10 % of it.
      {"eager-execution-overhead", spans("op:EagerLocalExecute: MatMul"), 10, 9, "TensorFlow"},
      // Ten checks per step.
      {"debug-apis-left-on", spans("op:CheckNumerics"), 10, 9, "TensorFlow"},
      // Sixteen iterations.
      {"map-fn-while-loop-serial", spans("op:map/while/body/Mul"), 16, 15, "TensorFlow"},
      // Variance and root make a batch normalisation; a root alone is in others, too.
      {"batchnorm-unfused",
       [](int parts) {
         return Spans("op:Rsqrt", 2) + (parts > 2 ? "main op:SquaredDifference 500..600\n" : "");
       },
       3, 2, "TensorFlow"},
      {"comm-exposed",
       [](int length) { return Before("ncclDevKernel_AllReduce_Sum_f32_RING_LL", length); }, 32,
       28},
  };
}

std::vector<AtLimit> KernelCases() {
  const auto kernel = [](std::string name) {
    return [name](int length) { return Kernel("aten::mm", name, length); };
  };
  return {
      // 20 % of the step is matrix work.
      {"tensor-cores-unused", kernel("ampere_sgemm_128x64_nn"), 202, 198},
      {"tf32-disabled", kernel("ampere_sgemm_128x64_nn"), 102, 98},
      {"gemm-dims-misaligned",
       kernel("cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x3_nn_align1"), 32, 28},
      {"layout-transpose-overhead", kernel("nchwToNhwcKernel"), 32, 28},
      {"kernels-memory-bound", kernel("vectorized_elementwise_kernel"), 302, 298},
      {"hot-op-dominates", kernel("gemm"), 202, 198},
      // Three in a row, one of which would remain.
      {"elementwise-unfused-chain",
       [](int count) {
         std::string text;
         for (int i = 0; i < count; ++i) {
           text += fmt::format("main launch#{} {}..{}\n", i + 1, i * 3, i * 3 + 2);
           text += fmt::format("gpu:0 vectorized_elementwise_kernel#{} {}..{}\n", i + 1,
                               20 + i * 100, 120 + i * 100);
         }
         return text;
       },
       3, 2},
  };
}

class RuleAtLimit : public testing::TestWithParam<AtLimit> {};

TEST_P(RuleAtLimit, FiresPastItOnly) {
  const AtLimit& rule = GetParam();
  const auto advice = [&](int value) {
    return AdviceOnDrawn({.lines = rule.step(value), .framework = rule.framework});
  };
  EXPECT_TRUE(Fired(advice(rule.fires), rule.rule));
  EXPECT_FALSE(Fired(advice(rule.does_not), rule.rule));
}

std::string NameOfLimit(const testing::TestParamInfo<AtLimit>& one) {
  std::string name = one.param.rule;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Input, RuleAtLimit, testing::ValuesIn(InputCases()), NameOfLimit);
INSTANTIATE_TEST_SUITE_P(Host, RuleAtLimit, testing::ValuesIn(HostCases()), NameOfLimit);
INSTANTIATE_TEST_SUITE_P(Kernels, RuleAtLimit, testing::ValuesIn(KernelCases()), NameOfLimit);

// Steps of these lengths in µs, one after the other, the device busy to their ends.
Advice OnSteps(const std::vector<int>& lengths) {
  std::string text;
  int64_t at = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    const int64_t end = at + lengths[s] * 1000;
    text += fmt::format("main step:ProfilerStep#{} {}..{}  launch#{} {}..{}\n", s, at, end, s + 1,
                        at + 1000, at + 2000);
    text += fmt::format("gpu:0 gemm#{} {}..{}\n", s + 1, at + 3000, end);
    at = end;
  }
  const Analyzed analyzed = AnalyzeText(text);
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

// The median is 1,000 µs, the median deviation 10: a step of more than twice the median is one.
TEST(AtLimits, StepTimeOutliers) {
  EXPECT_TRUE(Fired(OnSteps({1000, 1010, 990, 1010, 2010, 990, 1000, 1000}), "step-time-outliers"));
  EXPECT_FALSE(
      Fired(OnSteps({1000, 1010, 990, 1010, 1990, 990, 1000, 1000}), "step-time-outliers"));
}

TEST(AtLimits, WarmupStep) {
  EXPECT_TRUE(Fired(OnSteps({2010, 1000, 1000, 1000, 1000}), "warmup-step-in-profile"));
  EXPECT_FALSE(Fired(OnSteps({1990, 1000, 1000, 1000, 1000}), "warmup-step-in-profile"));
}

TEST(AtLimits, TraceTruncated) {
  EXPECT_TRUE(Fired(OnSteps({1000, 1000}), "trace-truncated"));
  EXPECT_FALSE(Fired(OnSteps({1000, 1000, 1000}), "trace-truncated"));
}

// Two ranks whose all-reduce ends at the same time: rank 0 waits `wait` µs for rank 1 in it, so the
// mean wait is half of that, and 3 % of the step is 30 µs.
TEST(AtLimits, Straggler) {
  const auto rank = [](int64_t number, int collective) {
    Trace trace = TraceText(
        Repeated(fmt::format("main step:ProfilerStep#$ 0..1000  launch#1 0..5  launch#2 6..9\n"
                             "gpu:0 gemm#1 10..{}  ncclDevKernel_AllReduce_Sum_f32_RING_LL#2 "
                             "{}..1000\n",
                             1000 - collective, 1000 - collective),
                 4, 1000));
    trace.facts.rank = number;
    return AnalyzeDrawn(std::move(trace));
  };
  const auto advice = [&](int wait) {
    const Analyzed fast = rank(0, 100 + wait);
    const Analyzed slow = rank(1, 100);
    return AdviceWith(fast.linked, fast.report, {}, {&fast.linked, &slow.linked});
  };
  EXPECT_TRUE(Fired(advice(62), "straggler-or-imbalance"));
  EXPECT_FALSE(Fired(advice(58), "straggler-or-imbalance"));
}

// A device of 16 GB: a fifth of it reserved and not used is 3.2 GB.
TEST(AtLimits, MemoryFragmentation) {
  const auto advice = [](int64_t unused) {
    return AdviceOnMemory("", 8'000'000'000, 8'000'000'000 + unused);
  };
  EXPECT_TRUE(Fired(advice(3'300'000'000), "memory-fragmentation"));
  EXPECT_FALSE(Fired(advice(3'100'000'000), "memory-fragmentation"));
}

// Two input threads that are busy `busy` of 1,000 µs on two cores, beside 100 µs of the main
// thread: 0.1 + 2 * 0.85 are 1.8 threads, and so are 90 % of two cores.
TEST(AtLimits, InputCpuSaturated) {
  const auto advice = [](int busy) {
    const Drawn drawn{.lines = fmt::format("main input:Iterator::Root::Prefetch 0..100  launch#1 "
                                           "101..102\ngpu:0 gemm#1 103..1000\n"
                                           "thread:2 input:Iterator::Root::ParallelMapV2 0..{}\n"
                                           "thread:3 input:Iterator::Root::ParallelMapV2 0..{}\n",
                                           busy, busy),
                      .framework = "TensorFlow"};
    Given given;
    given.machine = MachineFacts{.logical_cores = 2, .physical_cores = 2};
    return AdviceOnDrawn(drawn, given);
  };
  EXPECT_TRUE(Fired(advice(860), "input-cpu-saturated"));
  EXPECT_FALSE(Fired(advice(840), "input-cpu-saturated"));
}

}  // namespace
}  // namespace stepscope
