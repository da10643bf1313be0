#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/log_facts.h"
#include "advise/testing/drawn.h"

// Rules and branches of rules that elsewhere only recorded pairs show: just past the limit they
// fire, just below they do not. Steps of 1,000 µs, so 10 µs are 1 %, unless a test says otherwise.
namespace stepscope {
namespace {

Advice AdviceOnText(const std::string& text, const std::string& framework) {
  Trace trace = TraceText(text);
  trace.facts.framework = framework;
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

Given Log(const std::string& text) {
  Given beside;
  beside.log = ReadLogFacts(text);
  return beside;
}

// Four steps whose markers leave `gap` µs between them, in which nothing runs: 3 % of the step are
// 30 µs.
TEST(Alone, InterStepGap) {
  const auto advice = [](int gap, const std::string& between) {
    const std::string step =
        "main step:train#$ 0..1000  launch#1 0..5\ngpu:0 gemm#1 10..1000\n" + between;
    return AdviceOnText(Repeated(step, 4, 1000 + gap), "TensorFlow");
  };
  EXPECT_TRUE(Fired(advice(31, ""), "inter-step-gap"));
  EXPECT_FALSE(Fired(advice(29, ""), "inter-step-gap"));
  // 80 of 100 µs are input: 20 are left.
  EXPECT_TRUE(
      Fired(advice(100, "main input:Iterator::Root::Prefetch 1010..1060\n"), "inter-step-gap"));
  EXPECT_FALSE(
      Fired(advice(100, "main input:Iterator::Root::Prefetch 1010..1090\n"), "inter-step-gap"));
}

// The reader takes `length` µs in which the device has nothing. With four readers three quarters of
// it go: of 14 µs 10.5, of 13 µs 9.75, and nothing below 1 % is said.
TEST(Alone, SequentialFileReads) {
  const auto advice = [](const std::string& stage, int length) {
    return AdviceOnDrawn({.lines = fmt::format("main input:Iterator::Root::{} 0..{}  launch#1 "
                                               "{}..{}\ngpu:0 gemm#1 {}..1000\n",
                                               stage, length, length + 1, length + 2, length + 3),
                          .framework = "TensorFlow"});
  };
  EXPECT_TRUE(Fired(advice("FlatMap[0]::TFRecord", 14), "sequential-file-reads"));
  EXPECT_FALSE(Fired(advice("FlatMap[0]::TFRecord", 13), "sequential-file-reads"));
  // Read in parallel, or one file without a stage that interleaves.
  EXPECT_FALSE(Fired(advice("ParallelInterleaveV4[0]::TFRecord", 500), "sequential-file-reads"));
  EXPECT_FALSE(Fired(advice("TFRecord", 500), "sequential-file-reads"));
}

// Ten kernels per step of `busy` µs each, launched one by one: the device works busy percent of the
// step. `used` bytes of 16 GiB are allocated at the peak. Before each launch runs `before`.
Advice WithBatch(int busy, int64_t used, std::string_view before = "op:aten::add") {
  std::string step = "main step:ProfilerStep#$ 0..1000\nmemory gpu:0 +512@10 -512@20\n";
  for (int i = 0; i < 10; ++i) {
    const int at = i * 100;
    step += fmt::format("main {} {}..{}  launch#{} {}..{}\n", before, at, at + 100 - busy, i + 1,
                        at + 90 - busy, at + 95 - busy);
    step += fmt::format("gpu:0 add_kernel#{} {}..{}\n", i + 1, at + 100 - busy, at + 100);
  }
  Trace trace = TraceText(Repeated(step, 4, 1000));
  trace.facts.framework = "PyTorch";
  for (Device& device : trace.devices) device.memory_bytes = 16'000'000'000;
  for (Allocation& event : trace.allocations) event.total_allocated = used;
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

// 70 % of the device's time and 70 % of its memory (11.2 GB) are the limits.
TEST(Alone, BatchTooSmall) {
  EXPECT_TRUE(Fired(WithBatch(69, 11'000'000'000), "batch-too-small"));
  EXPECT_FALSE(Fired(WithBatch(71, 11'000'000'000), "batch-too-small"));
  EXPECT_FALSE(Fired(WithBatch(69, 11'400'000'000), "batch-too-small"));
  // While the device waits for its input, a larger batch only waits longer.
  EXPECT_FALSE(Fired(WithBatch(69, 11'000'000'000, "input:next_batch"), "batch-too-small"));
}

// Two gradients per step. One is stored, as the optimizer clears it; the other is added to, as
// nobody does. All that the backward pass does after the first is for the second: `backward` and 10
// µs, 3 % of the step from 20 µs on.
TEST(Alone, FrozenLayersDifferentiated) {
  const auto advice = [](int backward, const std::string& second) {
    return AdviceOnDrawn(
        {fmt::format("main launch#1 0..5  op:torch::autograd::AccumulateGrad 100..110  "
                     "op:MmBackward0 120..{}  "
                     "op:torch::autograd::AccumulateGrad 420..430  {} 422..428  "
                     "anno:Optimizer.step#SGD.step 900..950\ngpu:0 gemm#1 10..1000\n",
                     120 + backward, second)});
  };
  EXPECT_TRUE(Fired(advice(22, "op:aten::add_"), "frozen-layers-differentiated"));
  EXPECT_FALSE(Fired(advice(18, "op:aten::add_"), "frozen-layers-differentiated"));
  EXPECT_FALSE(Fired(advice(200, "op:aten::detach"), "frozen-layers-differentiated"));
}

// Epochs of 100 ms with four batches. The first takes `first` µs, the others 1 ms: what it takes
// longer is the stall, and starting processes costs 20 ms at least.
TEST(Alone, EpochBoundaryStall) {
  const auto advice = [](int first, int usual) {
    std::string step = fmt::format("main loader 0..{}  launch#1 {}..{}\n", first, first, first + 5);
    int at = 40'000;
    for (int i = 0; i < 3; ++i) {
      step += fmt::format("main loader {}..{}\n", at, at + usual);
      at += usual;
    }
    step += fmt::format("main launch#2 {}..{}\n", at, at + 5);
    step += fmt::format("gpu:0 gemm#1 {}..39000  gemm#2 {}..100000\n", first + 10, at + 10);
    return AdviceOnDrawn({.lines = step, .period = 100'000});
  };
  EXPECT_TRUE(Fired(advice(21'100, 1'000), "input-epoch-boundary-stall"));
  EXPECT_FALSE(Fired(advice(20'900, 1'000), "input-epoch-boundary-stall"));
  // Three times the usual batch of 11 ms are 33 ms; 22 ms longer would be long enough.
  EXPECT_TRUE(Fired(advice(33'100, 11'000), "input-epoch-boundary-stall"));
  EXPECT_FALSE(Fired(advice(32'900, 11'000), "input-epoch-boundary-stall"));
}

// 64 examples of 150,000 bytes per step, and the device needs 375 µs for them: 25.6 GB/s. A disk
// is too slow when that is more than 80 % of what it gives, so up to 32 GB/s.
TEST(Alone, DiskThroughputInsufficient) {
  const auto advice = [](double bytes_per_s) {
    Given beside;
    beside.job = JobFacts{.batch = 64};
    beside.dataset = DatasetFacts{.files = 1000,
                                  .bytes = 150'000'000'000,
                                  .median_file_bytes = 150'000'000,
                                  .records = 1'000'000,
                                  .read_bytes_per_s = bytes_per_s};
    return AdviceOnDrawn({"main loader 0..600  launch#1 610..620\ngpu:0 gemm#1 625..1000\n"},
                         beside);
  };
  EXPECT_TRUE(Fired(advice(31.9e9), "disk-throughput-insufficient"));
  EXPECT_FALSE(Fired(advice(32.1e9), "disk-throughput-insufficient"));
}

// ---- branches

// 32 calls of 10 µs per step in a stage of `stage` µs: calling them takes more than half of it from
// 640 µs on.
TEST(Branches, MapThatMostlyCalls) {
  const auto advice = [](int stage) {
    std::string step = fmt::format("thread:7 input:Iterator::Root::Map 0..{}\n", stage);
    for (int i = 0; i < 32; ++i) {
      step +=
          fmt::format("main op:InstantiatedCapturedFunction::Run {}..{}\n", i * 30, i * 30 + 10);
    }
    return AdviceOnDrawn({.lines = step, .framework = "TensorFlow"});
  };
  EXPECT_TRUE(Fired(advice(650), "map-function-too-small"));
  EXPECT_FALSE(Fired(advice(630), "map-function-too-small"));
}

// Two gaps per step, all but the last 2 µs of each in Python: about 4 % of the step in either case,
// but nobody can look at less than 20 µs.
TEST(Branches, GapsThatAreWorthNaming) {
  const auto advice = [](int gap, int count) {
    std::string step = fmt::format("main launch#1 0..2\ngpu:0 gemm#1 3..{}\n", 100 - gap);
    for (int i = 0; i < count; ++i) {
      const int at = 100 * (i + 1);
      step += fmt::format("main py:train.py(1): loop {}..{}  launch#{} {}..{}\n", at - gap, at - 2,
                          i + 2, at - 2, at - 1);
      step +=
          fmt::format("gpu:0 gemm#{} {}..{}\n", i + 2, at, i + 1 == count ? 1000 : at + 100 - gap);
    }
    return AdviceOnDrawn({step});
  };
  EXPECT_TRUE(Fired(advice(23, 2), "gpu-idle-gap-attribution"));
  EXPECT_FALSE(Fired(advice(21, 2), "gpu-idle-gap-attribution"));
}

// From one rank alone 35 % of it are likely gained: 5 % of the step, which is high, from 143 µs on.
TEST(Branches, SeverityOfExposedCommunication) {
  const auto severity = [](int length) {
    const Advice advice = AdviceOnDrawn(
        {fmt::format("main launch#1 0..3  launch#2 4..6\ngpu:0 "
                     "ncclDevKernel_AllReduce_Sum_f32_RING_LL#1 10..{0}  gemm#2 {0}..1000\n",
                     10 + length)});
    const Finding* finding = FindingOf(advice, "comm-exposed");
    return finding == nullptr ? FindingSeverity::kNote : finding->severity;
  };
  // From one rank alone all of it may be waiting for another: no more than medium.
  EXPECT_EQ(severity(900), FindingSeverity::kMedium);
  EXPECT_EQ(severity(88), FindingSeverity::kMedium);
  EXPECT_EQ(severity(82), FindingSeverity::kLow);
}

// Two blocks for each multiprocessor, which hold few warps: below 20 % that is worth a note, of a
// matrix kernel not even that.
TEST(Branches, LowOccupancy) {
  const auto advice = [](const char* kernel, int percent) {
    return AdviceOnDrawn({fmt::format(
        "main launch#1 0..5\ngpu:0 {}#1 10..510 blocks=2 occupancy={}\n", kernel, percent)});
  };
  EXPECT_TRUE(Fired(advice("reduce_kernel", 19), "low-sm-efficiency"));
  EXPECT_FALSE(Fired(advice("reduce_kernel", 20), "low-sm-efficiency"));
  EXPECT_FALSE(Fired(advice("ampere_sgemm_128x64_nn", 10), "low-sm-efficiency"));
}

const std::string kOnTheGpu = "main launch#1 0..5\ngpu:0 gemm#1 10..990\n";

// With NCCL beside it gloo carries what lives on the host.
TEST(Branches, GradientsThroughGloo) {
  const std::string gloo = kOnTheGpu + "main op:gloo:all_reduce 100..200\n";
  EXPECT_TRUE(Fired(AdviceOnDrawn({gloo}), "parallel-wrapper-costly"));
  EXPECT_FALSE(Fired(AdviceOnDrawn({gloo + "main launch#2 6..8\ngpu:0/3 "
                                           "ncclDevKernel_AllReduce_Sum_f32_RING_LL#2 200..300\n"}),
                     "parallel-wrapper-costly"));
  // Without a device there is nothing else to use.
  EXPECT_FALSE(Fired(AdviceOnDrawn({"main op:aten::mm 0..90  op:gloo:all_reduce 100..200\n"}),
                     "parallel-wrapper-costly"));
}

std::string Often(const std::string& span, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("main op:{} {}..{}\n", span, 10 + i * 30, 20 + i * 30);
  }
  return text;
}

// More than twenty a step.
TEST(Branches, SynchronisedBatchNormalisations) {
  EXPECT_TRUE(
      Fired(AdviceOnDrawn({kOnTheGpu + Often("SyncBatchNorm", 21)}), "parallel-wrapper-costly"));
  EXPECT_FALSE(
      Fired(AdviceOnDrawn({kOnTheGpu + Often("SyncBatchNorm", 20)}), "parallel-wrapper-costly"));
}

// Printing takes 5 % of the step.
TEST(Branches, PrintingInTheLoop) {
  const auto advice = [](const std::string& op, int length) {
    return AdviceOnDrawn({.lines = fmt::format("main launch#1 0..5  op:{} 100..{}\ngpu:0 gemm#1 "
                                               "10..990\n",
                                               op, 100 + length),
                          .framework = "TensorFlow"});
  };
  EXPECT_TRUE(Fired(advice("PrintV2", 52), "debug-apis-left-on"));
  EXPECT_FALSE(Fired(advice("PrintV2", 48), "debug-apis-left-on"));
  EXPECT_FALSE(Fired(advice("StringFormat", 300), "debug-apis-left-on"));
}

// Ten checks for NaN a step inside of the backward pass.
TEST(Branches, AnomalyDetection) {
  const auto advice = [](const std::string& around, int checks) {
    return AdviceOnDrawn(
        {kOnTheGpu + "main op:" + around + " 6..999\n" + Often("aten::isnan", checks)});
  };
  EXPECT_TRUE(Fired(advice("MulBackward0", 10), "debug-apis-left-on"));
  EXPECT_FALSE(Fired(advice("MulBackward0", 9), "debug-apis-left-on"));
  EXPECT_FALSE(Fired(advice("aten::mul", 10), "debug-apis-left-on"));
}

// Ten launches per step, and a wait after every second of them; the device idles 30 µs after each.
TEST(Branches, BlockingLaunches) {
  const auto advice = [](int waits) {
    std::string step;
    for (int i = 0; i < 10; ++i) {
      const int at = i * 100;
      step += fmt::format("main launch#{} {}..{}\n", i + 1, at, at + 5);
      if (i < waits) step += fmt::format("main sync {}..{}\n", at + 6, at + 70);
      step += fmt::format("gpu:0 gemm#{} {}..{}\n", i + 1, at + 10, at + 70);
    }
    return AdviceOnDrawn({step});
  };
  EXPECT_TRUE(Fired(advice(5), "debug-apis-left-on"));
  EXPECT_FALSE(Fired(advice(4), "debug-apis-left-on"));
}

// At least half of all spans are Python frames.
TEST(Branches, StacksSlowEveryCall) {
  const auto advice = [](int frames) {
    std::string step = "main launch#1 0..5\ngpu:0 gemm#1 10..990\n";
    for (int i = 0; i < frames; ++i) {
      step += fmt::format("main py:train.py({}): f {}..{}\n", i, 10 + i * 20, 20 + i * 20);
    }
    return AdviceOnDrawn({step});
  };
  // The marker, the launch and the kernel are three: three frames are one half.
  EXPECT_TRUE(Fired(advice(3), "profile-overhead-distorts"));
  EXPECT_FALSE(Fired(advice(2), "profile-overhead-distorts"));
}

// More than five executables per step.
TEST(Branches, JaxDispatchesManyExecutables) {
  const auto advice = [](int calls) {
    std::string step = "main launch#1 500..505\ngpu:0 gemm#1 510..990\n";
    for (int i = 0; i < calls; ++i) {
      step += fmt::format("main op:PjitFunction(f) {}..{}\n", i * 40, i * 40 + 30);
    }
    return AdviceOnDrawn({.lines = step, .framework = "JAX"});
  };
  EXPECT_TRUE(Fired(advice(6), "eager-execution-overhead"));
  EXPECT_FALSE(Fired(advice(5), "eager-execution-overhead"));
}

// Four steps of a second. In one of them the thread is silent while the device has nothing to do:
// from 200 ms on that may be a collection; in every step it is something else.
TEST(Branches, ASilentThreadMayCollectGarbage) {
  const auto advice = [](int silent, int times) {
    std::string text;
    for (int step = 0; step < 4; ++step) {
      const int64_t at = int64_t{step} * 1'000'000;
      const int64_t pause = step < times ? silent * 1000 : 20;
      const auto ns = [&](int64_t us) { return (at + us) * 1000; };
      text += fmt::format("main step:ProfilerStep#{} {}..{}  launch#{} {}..{}  launch#{} {}..{}\n",
                          step, ns(0), ns(1'000'000), step * 2 + 1, ns(0), ns(5), step * 2 + 2,
                          ns(500'000 + pause), ns(500'005 + pause));
      text += fmt::format("gpu:0 gemm#{} {}..{}  gemm#{} {}..{}\n", step * 2 + 1, ns(10),
                          ns(500'000), step * 2 + 2, ns(500'010 + pause), ns(1'000'000));
    }
    return AdviceOnText(text, "PyTorch");
  };
  EXPECT_TRUE(Fired(advice(201, 1), "python-gc-pause"));
  EXPECT_FALSE(Fired(advice(199, 1), "python-gc-pause"));
  EXPECT_FALSE(Fired(advice(250, 4), "python-gc-pause"));
}

// 31 % of what is reserved is free, and the driver is asked for more all the same; with 29 % free
// it had to be.
TEST(Branches, FragmentedMemoryGrowsAnyway) {
  const auto advice = [](int64_t reserved) {
    return AdviceOnMemory("call:cudaMalloc 6..8", 700'000'000, reserved);
  };
  EXPECT_TRUE(Fired(advice(1'010'000'000), "memory-fragmentation"));
  EXPECT_FALSE(Fired(advice(990'000'000), "memory-fragmentation"));
}

// On a CPU a collective is exposed where no other op runs beside it: 3 % of the step.
TEST(Branches, CommunicationOnTheCpu) {
  const auto advice = [](int length, const std::string& beside) {
    return AdviceOnDrawn({fmt::format("main op:aten::mm 0..500\nthread:2 op:gloo:all_reduce "
                                      "500..{}\n",
                                      500 + length) +
                          beside});
  };
  EXPECT_TRUE(Fired(advice(32, ""), "comm-exposed"));
  EXPECT_FALSE(Fired(advice(28, ""), "comm-exposed"));
  EXPECT_FALSE(Fired(advice(300, "main op:aten::mm 500..800\n"), "comm-exposed"));
}

// Fewer than 0.7 workers per core, while the device waits for input: of eight cores 5.6.
TEST(Branches, TooFewWorkers) {
  const auto advice = [](int64_t workers, const std::string& step) {
    Given beside;
    beside.job = JobFacts{.loader_workers = workers};
    beside.machine = MachineFacts{.logical_cores = 8, .physical_cores = 8};
    return AdviceOnDrawn({step}, beside);
  };
  const std::string starved = "main loader 0..600  launch#1 610..620\ngpu:0 gemm#1 625..1000\n";
  EXPECT_TRUE(Fired(advice(5, starved), "dataloader-workers-mismatch"));
  EXPECT_FALSE(Fired(advice(6, starved), "dataloader-workers-mismatch"));
  EXPECT_FALSE(Fired(advice(5, kOnTheGpu), "dataloader-workers-mismatch"));
}

// Lines of a log that rules know, and lines that look alike.
TEST(Branches, LinesOfALog) {
  struct Lines {
    const char *rule, *fires, *does_not;
    const char* framework = "PyTorch";
  };
  for (const Lines& lines : {
           Lines{"allocator-retry-steady",
                 "W bfc_allocator.cc: Allocator (GPU_0_bfc) ran out of memory trying to allocate "
                 "2.00GiB",
                 "I gpu_device.cc: Created device with 2.00GiB memory"},
           Lines{"allocator-retry-steady", "|  cudaMalloc retries: 7 |", "| cudaMalloc calls: 7 |"},
           Lines{"parallel-wrapper-costly",
                 "[W reducer.cpp] Warning: find_unused_parameters=True was specified in DDP "
                 "constructor, but did not find any unused parameters",
                 "RuntimeError: you can enable unused parameter detection by passing "
                 "find_unused_parameters=True to DDP"},
           Lines{"gpu-arch-jit-at-startup",
                 "TensorFlow was not built with CUDA kernel binaries compatible with compute "
                 "capability 9.0. CUDA kernels will be jit-compiled from PTX",
                 "Found device with compute capability 9.0"},
           Lines{"missing-libcupti", "Could not load dynamic library 'libcupti.so.12'",
                 "Could not load dynamic library 'libcudnn.so.8'"},
           Lines{"missing-libcupti", "E CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "CUPTI_SUCCESS"},
           Lines{"ort-no-iobinding", "[W] 3 Memcpy nodes are added to the graph main_graph",
                 "[W] 0 Memcpy nodes are added to the graph main_graph", "ONNX Runtime"},
           // 31.5 + 28.5 s are the limit of 60; 59.9 are not.
           Lines{"compile-time-dominates-startup",
                 "Finished XLA compilation of jit(init) in 31.5 sec\n"
                 "Finished XLA compilation of jit(step) in 28.5 sec",
                 "Finished XLA compilation of jit(init) in 31.4 sec\n"
                 "Finished tracing step for jit in 99.0 sec\n"
                 "Finished XLA compilation of jit(step) in 28.5 sec",
                 "JAX"},
           Lines{"cpu-isa-unused", "Your CPU supports instructions not compiled to use: AVX2 FMA",
                 "Your CPU supports AVX2 FMA"},
       }) {
    const Drawn drawn{.lines = "main op:aten::mm 0..900\n", .framework = lines.framework};
    EXPECT_TRUE(Fired(AdviceOnDrawn(drawn, Log(lines.fires)), lines.rule)) << lines.fires;
    EXPECT_FALSE(Fired(AdviceOnDrawn(drawn, Log(lines.does_not)), lines.rule)) << lines.does_not;
  }
}

}  // namespace
}  // namespace stepscope
