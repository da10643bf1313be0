#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <functional>
#include <sstream>

#include "advise/log_facts.h"
#include "advise/machine_facts.h"
#include "advise/testing/drawn.h"
#include "base/json_document.h"
#include "base/testing/data.h"

// Rules that need more than a trace: without it they name it, with it they fire.
namespace stepscope {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// 600 of 1,000 µs are input.
Drawn InputBound() { return {"main loader 0..600  launch#1 610..620\ngpu:0 gemm#1 625..1000\n"}; }
// Nothing but ops on the host.
Drawn OnTheCpu() { return {"main op:aten::mm 0..900\n"}; }

MachineFacts MachineOf(int cores) {
  return {.logical_cores = cores, .physical_cores = cores, .sockets = 1, .numa_nodes = 1};
}

struct Needy {
  std::string rule;
  Drawn drawn;
  std::string needs;  // part of what it says without
  Given fires;
  Given near_miss;
};

Given Rates(double trivial) {
  Given beside;
  beside.rates = RunRates{.full = 100, .trivial = trivial, .synthetic = 250};
  return beside;
}
Given Data(uint64_t files, uint64_t file_bytes, int64_t memory) {
  Given beside;
  beside.dataset =
      DatasetFacts{.files = files, .bytes = files * file_bytes, .median_file_bytes = file_bytes};
  beside.machine = MachineOf(8);
  beside.machine->memory_bytes = memory;
  return beside;
}
Given OnMachine(const std::function<void(MachineFacts&)>& change) {
  Given beside;
  beside.machine = MachineOf(8);
  change(*beside.machine);
  return beside;
}
Given Log(const char* text) {
  Given beside;
  beside.log = ReadLogFacts(text);
  return beside;
}
Given Loaders(int64_t workers, int cores) {
  Given beside;
  beside.job = JobFacts{.batch = {}, .loader_workers = workers, .ranks_per_host = 1};
  beside.machine = MachineOf(cores);
  return beside;
}

std::vector<Needy> Cases() {
  const auto gpu = [](MachineFacts& machine, const char* code) {
    machine.gpus.push_back({.name = "NVIDIA H200", .compute_capability = "9.0"});
    machine.frameworks.push_back({.name = "PyTorch", .gpu_code = {code}});
  };
  return {
      // 105 per second with a trivial model, 100 with the full one: 1.05 is below 1.10.
      {"input-bound-differential", InputBound(), "--trivial", Rates(105), Rates(120)},
      // 1 GB of data in 16 GB of memory; 10 GB is more than half.
      {"missing-cache-small-dataset", InputBound(), "--dataset",
       Data(10, 100'000'000, 16'000'000'000), Data(100, 100'000'000, 16'000'000'000)},
      {"many-small-files", InputBound(), "--dataset", Data(20'000, 10'000, 1),
       Data(9'000, 10'000, 1)},
      {"dataloader-workers-mismatch", InputBound(), "--workers", Loaders(17, 8), Loaders(16, 8)},
      {"thread-oversubscription", OnTheCpu(), "--machine",
       OnMachine([](MachineFacts& m) { m.environment["OMP_NUM_THREADS"] = "17"; }),
       OnMachine([](MachineFacts& m) { m.environment["OMP_NUM_THREADS"] = "16"; })},
      // One thread is busy on eight cores; on one there is nothing to gain.
      {"thread-pools-misconfigured", OnTheCpu(), "--machine", OnMachine([](MachineFacts&) {}),
       OnMachine([](MachineFacts& m) { m.physical_cores = 1; })},
      {"numa-cross-socket", OnTheCpu(), "--machine",
       OnMachine([](MachineFacts& m) { m.numa_nodes = 2; }),
       OnMachine([](MachineFacts& m) { m.numa_nodes = 1; })},
      {"mkl-openmp-env", OnTheCpu(), "--machine", OnMachine([](MachineFacts& m) {
         m.frameworks.push_back({.name = "TensorFlow", .mkl = true});
       }),
       OnMachine([](MachineFacts& m) {
         m.frameworks.push_back({.name = "TensorFlow", .mkl = true});
         m.environment["KMP_BLOCKTIME"] = "0";
       })},
      {"gpu-arch-jit-at-startup", OnTheCpu(), "--machine",
       OnMachine([&](MachineFacts& m) { gpu(m, "sm_80"); }),
       OnMachine([&](MachineFacts& m) { gpu(m, "sm_90"); })},
      {"cpu-isa-unused", OnTheCpu(), "--log",
       Log("To enable the following instructions: AVX2 FMA, rebuild TensorFlow with the "
           "appropriate compiler flags."),
       Log("nothing to see\n")},
  };
}

// What the profile leaves out of the device: a model is known by the machine.
std::vector<Needy> DeviceCases() {
  const auto machine = [](const char* name) {
    return OnMachine([name](MachineFacts& m) { m.gpus.push_back({.name = name}); });
  };
  const std::string gemm =
      "main op:aten::mm 0..9  launch#1 2..4\ngpu:0 ampere_sgemm_128x64_nn#1 10..510\n";
  const std::string conv =
      "main op:aten::cudnn_convolution 0..9  launch#1 2..4  launch#2 6..8\n"
      "gpu:0 nchwToNhwcKernel#1 10..110  cudnn_conv_sm90#2 110..990\n";
  return {
      // A V100 has tensor cores but no TF32, a P100 neither.
      {"tensor-cores-unused",
       {.lines = gemm, .gpu = ""},
       "--machine",
       machine("Tesla V100"),
       machine("Tesla P100")},
      {"tf32-disabled",
       {.lines = gemm, .gpu = ""},
       "--machine",
       machine("NVIDIA A100"),
       machine("Tesla V100")},
      {"conv-layout-nonpreferred",
       {.lines = conv, .gpu = ""},
       "--machine",
       machine("Tesla V100"),
       machine("Tesla P100")},
      {"nan-source", OnTheCpu(), "--log", Log("CheckNumerics: Tensor had NaN values"),
       Log("epoch 1 done\n")},
  };
}

class NeedyRule : public testing::TestWithParam<Needy> {};

TEST_P(NeedyRule, NamesItsNeedAndFiresWhenItIsMet) {
  const Needy& needy = GetParam();
  const CannotTellRow* row = nullptr;
  const Advice alone = AdviceOnDrawn(needy.drawn);
  row = CannotTellOf(alone, needy.rule);
  ASSERT_NE(row, nullptr);
  EXPECT_THAT(Render(row->needs, Language::kEnglish), HasSubstr(needy.needs));
  EXPECT_TRUE(Fired(AdviceOnDrawn(needy.drawn, needy.fires), needy.rule));
  EXPECT_FALSE(Fired(AdviceOnDrawn(needy.drawn, needy.near_miss), needy.rule));
}

std::string NameOfNeedy(const testing::TestParamInfo<Needy>& one) {
  std::string name = one.param.rule;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Given, NeedyRule, testing::ValuesIn(Cases()), NameOfNeedy);
INSTANTIATE_TEST_SUITE_P(Device, NeedyRule, testing::ValuesIn(DeviceCases()), NameOfNeedy);

// Half a block for each multiprocessor, by the grid: 66 blocks on 132; without either nobody knows.
TEST(Given, BlocksComeFromTheGridWhereNothingElseSaysSo) {
  const auto advice = [](uint32_t blocks, int32_t sms) {
    Trace trace = TraceText(
        Repeated("main step:ProfilerStep#$ 0..1000  launch#1 0..5\ngpu:0 reduce_kernel#1 10..510\n",
                 4, 1000));
    trace.device_args.ForEach([&](DeviceArgs& args) {
      args.grid[0] = blocks;
      args.grid[1] = args.grid[2] = 1;
    });
    for (Device& device : trace.devices) {
      if (sms > 0) device.sm_count = sms;
    }
    const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
    return AdviceWith(analyzed.linked, analyzed.report, {});
  };
  EXPECT_TRUE(Fired(advice(66, 132), "low-sm-efficiency"));
  EXPECT_FALSE(Fired(advice(132, 132), "low-sm-efficiency"));
  EXPECT_NE(CannotTellOf(advice(66, 0), "low-sm-efficiency"), nullptr);
}

// RunMetadata without its graph: what only a graph shows stays open.
TEST(Given, RunMetadataWithoutItsGraph) {
  Trace trace = TraceText("main op:MatMul 0..900000\n");
  trace.facts.framework = "TensorFlow";
  trace.facts.format = Format::kRunMetadata;
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  const Advice advice = AdviceWith(analyzed.linked, analyzed.report, {});
  for (const char* rule : {"frozen-layers-differentiated", "variable-placement",
                           "bn-moving-average-stall", "feed-dict-input"}) {
    const CannotTellRow* row = CannotTellOf(advice, rule);
    ASSERT_NE(row, nullptr) << rule;
    EXPECT_THAT(Render(row->needs, Language::kEnglish), HasSubstr("GraphDef"));
  }
}

// A line of the log that makes a rule fire, and one that looks alike.
TEST(Given, LinesThatLookAlikeDoNot) {
  struct Lines {
    const char *rule, *fires, *does_not;
  };
  for (const Lines& lines : std::to_array<Lines>({
           {"dataloader-workers-mismatch",
            "This DataLoader will create 17 worker processes in total. Our suggested max number of "
            "worker in current system is 16",
            "This DataLoader will create 16 worker processes in total. Our suggested max number of "
            "worker in current system is 16"},
           {"dynamic-shape-recompile",
            "WARNING: 5 out of the last 5 calls to <f> triggered tf.function retracing.",
            "tf.function is traced once"},
           {"nan-source", "Tensor had NaN values", "no value was nan"},
       })) {
    EXPECT_TRUE(Fired(AdviceOnDrawn(OnTheCpu(), Log(lines.fires)), lines.rule)) << lines.rule;
    EXPECT_FALSE(Fired(AdviceOnDrawn(OnTheCpu(), Log(lines.does_not)), lines.rule)) << lines.rule;
  }
}

TEST(Given, LogsMakeRulesFire) {
  EXPECT_TRUE(
      Fired(AdviceOnDrawn(OnTheCpu(), Log("Could not load dynamic library 'libcupti.so.12'")),
            "missing-libcupti"));
  EXPECT_TRUE(Fired(AdviceOnDrawn(OnTheCpu(), Log("E CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")),
                    "missing-libcupti"));
  EXPECT_TRUE(
      Fired(AdviceOnDrawn(OnTheCpu(), Log("CheckNumerics: Tensor had NaN values")), "nan-source"));
  EXPECT_TRUE(Fired(
      AdviceOnDrawn(OnTheCpu(), Log("This DataLoader will create 64 worker processes in total. Our "
                                    "suggested max number of worker in current system is 16")),
      "dataloader-workers-mismatch"));
  EXPECT_FALSE(Fired(AdviceOnDrawn(OnTheCpu(), Log("epoch 1 done\n")), "missing-libcupti"));
}

// What `stepscope doctor --json` writes for a container with a quota
// (tests/golden/doctor_json.out).
TEST(MachineFacts, AreWhatDoctorWrites) {
  std::ifstream file(SourceFile("tests/golden/doctor_json.out"));
  std::stringstream text;
  text << file.rdbuf();
  const Result<JsonValue> json = ParseJson(text.str());
  ASSERT_TRUE(json);
  const MachineFacts facts = ReadMachineFacts(*json);
  EXPECT_EQ(facts.physical_cores, 3);  // threads.usable_cpus
  EXPECT_EQ(facts.logical_cores, 4);   // a quota of 3.5
  EXPECT_EQ(facts.sockets, 1);
  EXPECT_EQ(facts.numa_nodes, 1);
  EXPECT_EQ(facts.memory_bytes, 17'179'869'184);  // the container's, not the host's
  EXPECT_TRUE(facts.cpu_isa.contains("AVX2"));
  ASSERT_EQ(facts.gpus.size(), 1u);
  EXPECT_EQ(facts.gpus[0].name, "NVIDIA A100-SXM4-40GB");
  ASSERT_EQ(facts.frameworks.size(), 2u);
  EXPECT_THAT(facts.frameworks[1].gpu_code, testing::Contains("sm_75"));
  EXPECT_EQ(facts.environment.at("OMP_NUM_THREADS"), "1");
}

// A rule whose need is the trace alone has an answer on every trace with device rows.
TEST(Given, RulesThatNeedTheTraceAloneCanTell) {
  const Advice advice =
      AdviceOnDrawn({"main loader 0..100  launch#1 110..120\ngpu:0 gemm#1 125..1000\n"});
  for (const CannotTellRow& row : advice.cannot_tell) {
    EXPECT_THAT(Render(row.needs, Language::kEnglish),
                AnyOf(HasSubstr("--"), HasSubstr("memory events"), HasSubstr("ranks")))
        << row.rule;
  }
}

std::string CompileRecord(const std::string& json, const std::string& payload = {}) {
  return "V1206 15:18:15.925000 1500233 torch/_dynamo/utils.py:1288] " + json + "\n" +
         (payload.empty() ? "" : "\t" + payload + "\n");
}

// A frame of 90 s; with `again` a second compilation of 1 s because a size changed.
std::string CompileLogText(bool again, int64_t microseconds) {
  const std::string metrics =
      R"({"compilation_metrics": {"co_name": "forward", "co_filename": "/home/x/model.py",)"
      R"( "co_firstlineno": 7, "dynamo_cumulative_compile_time_us": )";
  std::string text = CompileRecord(metrics + std::to_string(microseconds) +
                                   R"(}, "frame_id": 0, "frame_compile_id": 0})");
  if (!again) return text;
  return text +
         CompileRecord(R"({"artifact": {"name": "recompile_reasons", "encoding": "json"},)"
                       R"( "frame_id": 0, "frame_compile_id": 1, "has_payload": "0"})",
                       R"(["0/0: size mismatch at index 0. expected 4, actual 5"])") +
         CompileRecord(metrics + R"(1000000}, "frame_id": 0, "frame_compile_id": 1})");
}

TEST(CompileLogFindings, RecompilesBreaksAndTime) {
  const auto advice = [](const std::string& text) {
    return AdviceOnDrawn(OnTheCpu(), Log(text.c_str()));
  };
  EXPECT_TRUE(Fired(advice(CompileLogText(true, 1'000'000)), "dynamic-shape-recompile"));
  EXPECT_FALSE(Fired(advice(CompileLogText(false, 1'000'000)), "dynamic-shape-recompile"));
  EXPECT_TRUE(Fired(advice(CompileLogText(false, 900'000'000)), "compile-time-dominates-startup"));
  EXPECT_FALSE(Fired(advice(CompileLogText(false, 1'000)), "compile-time-dominates-startup"));
  const std::string broken =
      CompileLogText(false, 1'000) +
      CompileRecord(R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"},)"
                    R"( "frame_id": 0, "frame_compile_id": 0, "has_payload": "0"})",
                    "Graph break in user code at /home/x/model.py:42");
  EXPECT_TRUE(Fired(advice(broken), "graph-breaks"));
  EXPECT_FALSE(Fired(advice(CompileLogText(false, 1'000)), "graph-breaks"));
}

}  // namespace
}  // namespace stepscope
