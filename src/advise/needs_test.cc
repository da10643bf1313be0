#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "advise/testing/drawn.h"

// Rules that need what a profile may leave out: memory events, a graph, other ranks, message sizes,
// a second fact beside the first. Without it they name it; with it they fire, or see that all is
// well. given_test.cc has those that need one thing from the user.
namespace stepscope {
namespace {

using testing::HasSubstr;

Advice AdviceOn(Trace trace, const Given& given = {}) {
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  return AdviceWith(analyzed.linked, analyzed.report, given);
}

void ExpectNeeds(const Advice& advice, std::string_view rule, const std::string& part) {
  const CannotTellRow* row = CannotTellOf(advice, rule);
  ASSERT_NE(row, nullptr) << rule;
  EXPECT_THAT(Render(row->needs, Language::kEnglish), HasSubstr(part)) << rule;
}

// ---- memory

// Ten short kernels per step that the host launches one by one, a third of the time. Each step
// takes 64 MiB, and frees it unless `keeps`.
struct Memory {
  bool events = true;
  int64_t capacity = 16'000'000'000;  // 0: the profile does not name it
  int64_t allocated = 1'000'000'000;
  int64_t reserved = 1'000'000'000;
  bool keeps = false;
};
Advice WithMemory(const Memory& memory) {
  std::string step = "main step:ProfilerStep#$ 0..1000\n";
  if (memory.events) {
    step +=
        memory.keeps ? "memory gpu:0 +67108864@10\n" : "memory gpu:0 +67108864@10 -67108864@20\n";
  }
  for (int i = 0; i < 10; ++i) {
    const int at = i * 100;
    step += fmt::format("main op:aten::add {}..{}  launch#{} {}..{}\n", at, at + 70, i + 1, at + 60,
                        at + 65);
    step += fmt::format("gpu:0 add_kernel#{} {}..{}\n", i + 1, at + 70, at + 100);
  }
  Trace trace = TraceText(Repeated(step, 4, 1000));
  trace.facts.framework = "PyTorch";
  for (Device& device : trace.devices) {
    if (memory.capacity > 0) device.memory_bytes = memory.capacity;
  }
  for (Allocation& event : trace.allocations) {
    event.total_allocated = memory.allocated;
    event.total_reserved = memory.reserved;
  }
  return AdviceOn(std::move(trace));
}

TEST(Needs, MemoryEvents) {
  const Advice without = WithMemory({.events = false});
  for (const char* rule :
       {"memory-near-capacity", "memory-fragmentation", "memory-growing", "batch-too-small"}) {
    ExpectNeeds(without, rule, "memory events");
  }
  const Advice plain = WithMemory({});
  // 1 of 16 GB is used while the device works 30 % of the step.
  EXPECT_TRUE(Fired(plain, "batch-too-small"));
  for (const char* rule : {"memory-near-capacity", "memory-fragmentation", "memory-growing"}) {
    EXPECT_FALSE(Fired(plain, rule)) << rule;
    EXPECT_EQ(CannotTellOf(plain, rule), nullptr) << rule;
  }
  // 15 of 16 GB; 5 of 16 GB that nobody uses.
  EXPECT_TRUE(Fired(WithMemory({.allocated = 15'000'000'000}), "memory-near-capacity"));
  EXPECT_TRUE(Fired(WithMemory({.reserved = 6'000'000'000}), "memory-fragmentation"));
}

TEST(Needs, SizeOfTheDevicesMemory) {
  const Advice unknown = WithMemory({.capacity = 0});
  for (const char* rule : {"memory-near-capacity", "batch-too-small"}) {
    ExpectNeeds(unknown, rule, "size of the device's memory");
  }
  EXPECT_TRUE(Fired(WithMemory({.allocated = 15'000'000'000}), "memory-near-capacity"));
  EXPECT_FALSE(Fired(WithMemory({.allocated = 14'000'000'000}), "memory-near-capacity"));
}

// ---- a graph beside RunMetadata

// AttrValue of a type (field 6: float is 1) and of a shape with one dim (fields 7, 2, 1).
constexpr std::string_view kFloat("\x30\x01", 2);
std::string ShapeOf(int64_t elements) {
  std::string varint;
  for (auto rest = static_cast<uint64_t>(elements); rest > 0; rest >>= 7) {
    varint.push_back(static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
  }
  const std::string dim = "\x08" + varint;
  const std::string shape = "\x12" + std::string(1, static_cast<char>(dim.size())) + dim;
  return "\x3a" + std::string(1, static_cast<char>(shape.size())) + shape;
}

struct Node {
  const char *name, *op;
  std::vector<std::string_view> inputs = {};
  const char* device = "";
  int64_t elements = 0;  // of 4 bytes
};
Given GraphOf(const std::vector<Node>& nodes) {
  auto shapes = std::make_shared<std::vector<std::string>>();
  shapes->reserve(nodes.size());
  Given beside;
  beside.graph = GraphDef{};
  for (const Node& node : nodes) {
    NodeDef def;
    def.name = node.name;
    def.op = node.op;
    def.device = node.device;
    def.inputs = node.inputs;
    if (node.elements > 0) {
      shapes->push_back(ShapeOf(node.elements));
      def.attrs = {{"dtype", kFloat}, {"shape", shapes->back()}};
    }
    beside.graph->nodes.push_back(std::move(def));
  }
  beside.graph->owner = shapes;
  return beside;
}

Advice OnRunMetadata(const Given& given) {
  Trace trace = TraceText("main op:MatMul 0..800000  op:IteratorGetNext 800000..900000\n");
  trace.facts.framework = "TensorFlow";
  trace.facts.format = Format::kRunMetadata;
  return AdviceOn(std::move(trace), given);
}

struct Graphs {
  const char* rule;
  std::vector<Node> fires, near_miss;
};
TEST(Needs, TheGraphBesideRunMetadata) {
  const Advice without = OnRunMetadata({});
  for (const Graphs& graphs : {
           // 250,000 floats are a megabyte.
           Graphs{"feed-dict-input",
                  {{"x", "Placeholder", {}, "", 250'001}},
                  {{"x", "Placeholder", {}, "", 249'999}}},
           Graphs{"missing-prefetch",
                  {{"map", "MapDataset"}, {"next", "IteratorGetNext", {"map"}}},
                  {{"map", "MapDataset"},
                   {"ahead", "PrefetchDataset", {"map"}},
                   {"next", "IteratorGetNext", {"ahead"}}}},
           // A weight's gradient that no update takes.
           Graphs{"frozen-layers-differentiated",
                  {{"gradients/a/MatMul_1", "MatMul", {"x"}},
                   {"norm", "L2Loss", {"gradients/a/MatMul_1"}}},
                  {{"gradients/a/MatMul_1", "MatMul", {"x"}},
                   {"clip", "Mul", {"gradients/a/MatMul_1"}},
                   {"update", "ApplyGradientDescent", {"w", "lr", "clip"}}}},
           // Of two devices one holds more than 50 + 20 % of the bytes.
           Graphs{"variable-placement",
                  {{"a", "VariableV2", {}, "/gpu:0", 710}, {"b", "VariableV2", {}, "/gpu:1", 290}},
                  {{"a", "VariableV2", {}, "/gpu:0", 690}, {"b", "VariableV2", {}, "/gpu:1", 310}}},
           // Two devices compute with what lives on one.
           Graphs{"variable-placement",
                  {{"a", "VariableV2", {}, "/cpu:0", 100},
                   {"m0", "MatMul", {"a"}, "/gpu:0"},
                   {"m1", "MatMul", {"a"}, "/gpu:1"}},
                  {{"a", "VariableV2", {}, "/cpu:0", 100}, {"m0", "MatMul", {"a"}, "/gpu:0"}}},
           // Both towers wait for the average that both write; or one of them does.
           Graphs{"bn-moving-average-stall",
                  {{"mean", "VariableV2"},
                   {"t_0/AssignMovingAvg", "AssignSub", {"mean"}},
                   {"t_1/AssignMovingAvg", "AssignSub", {"mean"}},
                   {"t_0/relu", "Relu", {"^t_0/AssignMovingAvg"}},
                   {"t_1/relu", "Relu", {"^t_1/AssignMovingAvg"}}},
                  {{"mean", "VariableV2"},
                   {"t_0/AssignMovingAvg", "AssignSub", {"mean"}},
                   {"t_1/AssignMovingAvg", "AssignSub", {"mean"}},
                   {"t_0/relu", "Relu", {"^t_0/AssignMovingAvg"}}}},
       }) {
    ExpectNeeds(without, graphs.rule, "GraphDef");
    EXPECT_TRUE(Fired(OnRunMetadata(GraphOf(graphs.fires)), graphs.rule)) << graphs.rule;
    const Advice near_miss = OnRunMetadata(GraphOf(graphs.near_miss));
    EXPECT_FALSE(Fired(near_miss, graphs.rule)) << graphs.rule;
    EXPECT_EQ(CannotTellOf(near_miss, graphs.rule), nullptr) << graphs.rule;
  }
}

// Rules that a graph tells more than a trace does: these never need it.
TEST(Needs, AGraphTellsMore) {
  for (const Graphs& graphs : {
           Graphs{"batchnorm-unfused",
                  {{"batch_norm/moments/mean", "Mean"}, {"batch_norm/batchnorm/Rsqrt", "Rsqrt"}},
                  {{"batch_norm/FusedBatchNormV3", "FusedBatchNormV3"},
                   {"batch_norm/batchnorm/Rsqrt", "Rsqrt"},
                   {"batch_norm/moments/mean", "Mean"}}},
           Graphs{"jpeg-decode-crop-unfused",
                  {{"jpeg", "DecodeJpeg"}, {"cast", "Cast", {"jpeg"}}, {"cut", "Slice", {"cast"}}},
                  {{"jpeg", "DecodeJpeg"},
                   {"small", "ResizeBilinear", {"jpeg"}},
                   {"cut", "Slice", {"small"}}}},
       }) {
    EXPECT_TRUE(Fired(OnRunMetadata(GraphOf(graphs.fires)), graphs.rule)) << graphs.rule;
    EXPECT_FALSE(Fired(OnRunMetadata(GraphOf(graphs.near_miss)), graphs.rule)) << graphs.rule;
  }
}

// ---- a second fact beside the first

MachineFacts EightCores() { return {.logical_cores = 8, .physical_cores = 8, .memory_bytes = 1}; }
DatasetFacts SmallData() {
  return {.files = 10, .bytes = 1'000'000'000, .median_file_bytes = 100'000'000};
}
const Drawn kInputBound{"main loader 0..600  launch#1 610..620\ngpu:0 gemm#1 625..1000\n"};

TEST(Needs, ASecondFact) {
  // A set of 1 GB says nothing until it is known what it has to fit into: 16 GB, or 1.9 GB, of
  // which it is more than half.
  Given data;
  data.dataset = SmallData();
  ExpectNeeds(AdviceOnDrawn(kInputBound, data), "missing-cache-small-dataset", "--machine");
  data.machine = EightCores();
  data.machine->memory_bytes = 16'000'000'000;
  EXPECT_TRUE(Fired(AdviceOnDrawn(kInputBound, data), "missing-cache-small-dataset"));
  data.machine->memory_bytes = 1'900'000'000;
  EXPECT_FALSE(Fired(AdviceOnDrawn(kInputBound, data), "missing-cache-small-dataset"));

  Given workers;
  workers.job = JobFacts{.loader_workers = 17};
  ExpectNeeds(AdviceOnDrawn(kInputBound, workers), "dataloader-workers-mismatch", "--machine");
  workers.machine = EightCores();
  EXPECT_TRUE(Fired(AdviceOnDrawn(kInputBound, workers), "dataloader-workers-mismatch"));

  // The speed of a disk, then how many examples a step takes: 64 of 1 MB in 375 µs are 171 GB/s.
  Given disk;
  ExpectNeeds(AdviceOnDrawn(kInputBound, disk), "disk-throughput-insufficient", "--disk-mb-per-s");
  disk.dataset = SmallData();
  disk.dataset->records = 1000;
  ExpectNeeds(AdviceOnDrawn(kInputBound, disk), "disk-throughput-insufficient", "--disk-mb-per-s");
  disk.dataset->read_bytes_per_s = 200e9;
  ExpectNeeds(AdviceOnDrawn(kInputBound, disk), "disk-throughput-insufficient", "--batch");
  disk.job = JobFacts{.batch = 64};
  EXPECT_TRUE(Fired(AdviceOnDrawn(kInputBound, disk), "disk-throughput-insufficient"));
  disk.dataset->read_bytes_per_s = 220e9;
  EXPECT_FALSE(Fired(AdviceOnDrawn(kInputBound, disk), "disk-throughput-insufficient"));

  // One rate alone compares with nothing.
  Given rates;
  rates.rates = RunRates{.full = 100};
  ExpectNeeds(AdviceOnDrawn(kInputBound, rates), "input-bound-differential", "--trivial");
  rates.rates->synthetic = 150;
  EXPECT_TRUE(Fired(AdviceOnDrawn(kInputBound, rates), "input-bound-differential"));
  rates.rates->synthetic = 105;
  EXPECT_FALSE(Fired(AdviceOnDrawn(kInputBound, rates), "input-bound-differential"));
}

// Two busy input threads, well built: whether cores are left is what the machine says.
TEST(Needs, CoresOfTheMachine) {
  const Drawn drawn{.lines =
                        "main input:Iterator::Root::Prefetch 0..100  launch#1 101..102\n"
                        "gpu:0 gemm#1 103..1000\n"
                        "thread:2 input:Iterator::Root::ParallelMapV2 0..1000\n"
                        "thread:3 input:Iterator::Root::ParallelMapV2 0..1000\n",
                    .framework = "TensorFlow"};
  ExpectNeeds(AdviceOnDrawn(drawn), "input-cpu-saturated", "--machine");
  Given beside;
  beside.machine = MachineFacts{.logical_cores = 2, .physical_cores = 2};
  EXPECT_TRUE(Fired(AdviceOnDrawn(drawn, beside), "input-cpu-saturated"));
  beside.machine->logical_cores = 3;
  EXPECT_FALSE(Fired(AdviceOnDrawn(drawn, beside), "input-cpu-saturated"));
}

// The machine says it where no log does: built for AVX2 on a CPU with AVX-512.
TEST(Needs, InstructionSetsByTheMachine) {
  const Drawn drawn{"main op:aten::mm 0..900\n"};
  ExpectNeeds(AdviceOnDrawn(drawn), "cpu-isa-unused", "--log");
  Given beside;
  beside.machine = EightCores();
  beside.machine->cpu_isa = {"AVX2", "AVX-512F"};
  beside.machine->frameworks.push_back({.name = "PyTorch", .cpu_isa = {"AVX2"}});
  EXPECT_TRUE(Fired(AdviceOnDrawn(drawn, beside), "cpu-isa-unused"));
  beside.machine->frameworks.front().cpu_isa = {"AVX2", "AVX-512"};
  EXPECT_FALSE(Fired(AdviceOnDrawn(drawn, beside), "cpu-isa-unused"));
}

// ---- ranks

// An all-reduce of 500 µs; rank 0 waits in it `early` µs for rank 1.
Trace RankOf(int64_t rank, int early, int64_t bytes) {
  Trace trace = TraceText(Repeated(
      fmt::format("main step:ProfilerStep#$ 0..1000  launch#1 0..5  launch#2 6..9\n"
                  "gpu:0 gemm#1 10..{0}  ncclDevKernel_AllReduce_Sum_f32_RING_LL#2 {0}..1000\n",
                  500 - early),
      4, 1000));
  trace.facts.rank = rank;
  trace.collectives.push_back({.bytes = bytes, .group_size = 2});
  trace.device_args.ForEach([&](DeviceArgs& args) {
    if (trace.slices.kind[args.slice] == Kind::kCollective) args.collective = 0;
  });
  return trace;
}

TEST(Needs, OtherRanksTheirBusAndTheirMessages) {
  const auto advice = [](int early, int64_t bytes, std::optional<double> bus, bool both) {
    const Analyzed first = AnalyzeDrawn(RankOf(0, early, bytes));
    const Analyzed second = AnalyzeDrawn(RankOf(1, 0, bytes));
    Given beside;
    if (bus) beside.job = JobFacts{.bus_gb_per_s = bus};
    std::vector<const LinkedTrace*> ranks;
    if (both) ranks = {&first.linked, &second.linked};
    return AdviceWith(first.linked, first.report, beside, ranks);
  };
  constexpr int64_t kBytes = 100'000'000;
  const Advice alone = advice(200, kBytes, 300, false);
  ExpectNeeds(alone, "straggler-or-imbalance", "directory");
  ExpectNeeds(alone, "collective-below-bandwidth", "directory");
  EXPECT_TRUE(Fired(advice(200, kBytes, 300, true), "straggler-or-imbalance"));
  EXPECT_FALSE(Fired(advice(20, kBytes, 300, true), "straggler-or-imbalance"));
  ExpectNeeds(advice(0, kBytes, {}, true), "collective-below-bandwidth", "--bus-gb-per-s");
  ExpectNeeds(advice(0, -1, 450, true), "collective-below-bandwidth", "message sizes");
  // 100 MB in 500 µs are 200 GB/s: less than half of 450, not of 350.
  EXPECT_TRUE(Fired(advice(0, kBytes, 450, true), "collective-below-bandwidth"));
  EXPECT_FALSE(Fired(advice(0, kBytes, 350, true), "collective-below-bandwidth"));
}

}  // namespace
}  // namespace stepscope
