#include "advise/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "advise/log_facts.h"
#include "advise/settings.h"
#include "advise/words.h"
#include "analyze/testing/analyzed.h"
#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Advice AdviceFor(const Analyzed& analyzed) {
  const Limits limits;
  TaskPool pool(1);
  const Evidence evidence(analyzed.linked, analyzed.report, limits, pool);
  return Advise(evidence, {}, pool);
}

const Finding* FindingOf(const Advice& advice, std::string_view rule) {
  for (const Finding& finding : advice.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

TEST(Catalogue, HoldsEveryRuleOnceWithWords) {
  std::vector<std::string_view> ids;
  for (const Rule& rule : AllRules()) {
    EXPECT_THAT(ids, Not(Contains(rule.id)));
    ids.push_back(rule.id);
    for (const char* part :
         {"symptom", "detection", "threshold", "saving", "false_alarms", "refuted_by", "sources"}) {
      EXPECT_FALSE(RuleText(rule.id, part, Limits()).empty()) << rule.id << "." << part;
    }
    EXPECT_FALSE(FixOf(rule.id, Framework::kOther).empty()) << rule.id;
    EXPECT_TRUE(rule.explains.empty() || FindRule(rule.explains) != nullptr) << rule.id;
  }
  EXPECT_EQ(ids.size(), 91u + 9u);
}

// Two steps of 1 ms; the loader takes the first 600 µs of each, so 60 % of the step is input, and
// it is the single-process loader: one finding with its cause.
TEST(Advise, StarvedDeviceIsOneFindingWithItsCause) {
  const Analyzed a = AnalyzeText(R"(
    main   step:ProfilerStep#1 0..1000000
    main   anno:enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0..600000   launch#1 610000..620000
    gpu:0  gemm#1 620000..1000000
    main   step:ProfilerStep#2 1000000..2000000
    main   anno:enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 1000000..1600000   launch#2 1610000..1620000
    gpu:0  gemm#2 1620000..2000000
  )");
  const Advice advice = AdviceFor(a);
  const Finding* input = FindingOf(advice, "input-bound-step");
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(input->severity, FindingSeverity::kHigh);
  EXPECT_EQ(input->saving.replay_hi.ns, 600000);
  ASSERT_EQ(input->causes.size(), 1u);
  EXPECT_EQ(input->causes[0].rule, "dataloader-workers-zero");
  EXPECT_EQ(FindingOf(advice, "dataloader-workers-zero"), nullptr);
  // Without the loader the launch comes 600 µs earlier, and so does everything after it; four
  // workers would need 150 µs, less than the device's 380 µs.
  EXPECT_TRUE(input->saving.replayed);
  EXPECT_EQ(input->saving.replay_lo.ns, 600000);
}

// The same step with the loader at 4 %: moderate is 5 %.
TEST(Advise, ShortLoaderIsQuiet) {
  const Analyzed a = AnalyzeText(R"(
    main   step:ProfilerStep#1 0..1000000   loader 0..40000   launch#1 41000..42000
    gpu:0  gemm#1 42000..1000000
    main   step:ProfilerStep#2 1000000..2000000   loader 1000000..1040000   launch#2 1041000..1042000
    gpu:0  gemm#2 1042000..2000000
  )");
  EXPECT_EQ(FindingOf(AdviceFor(a), "input-bound-step"), nullptr);
}

// First classic false alarm: item() waits 900 µs for the model's own kernel, and the device idles 2
// µs afterwards. The wait is no saving.
TEST(Advise, ReadingBackIsNotBlamedForTheWorkItWaitsFor) {
  const Analyzed a = AnalyzeText(R"(
    main   step:ProfilerStep#1 0..1000000   launch#1 0..10000   op:aten::item 20000..960000   sync 30000..950000
    gpu:0  gemm#1 10000..948000
    main   launch#2 952000..953000
    gpu:0  gemm#2 952500..1000000
    main   step:ProfilerStep#2 1000000..2000000   launch#3 1000000..1010000   op:aten::item 1020000..1960000   sync 1030000..1950000
    gpu:0  gemm#3 1001000..1948000
    main   launch#4 1952000..1953000
    gpu:0  gemm#4 1952500..2000000
  )");
  const Advice advice = AdviceFor(a);
  EXPECT_EQ(FindingOf(advice, "blocking-sync-calls"), nullptr);
  EXPECT_EQ(FindingOf(advice, "per-step-scalar-readback"), nullptr);
}

// Second: from one rank alone a long collective may wait for another rank, so nothing is promised.
TEST(Advise, LongCollectiveOfOneRankPromisesNothing) {
  const Analyzed a = AnalyzeText(R"(
    main   step:ProfilerStep#1 0..1000000   launch#1 0..10000   launch#2 12000..14000
    gpu:0  gemm#1 10000..300000
    gpu:0  ncclDevKernel_AllReduce_Sum_f32_RING_LL#2 300000..1000000
    main   step:ProfilerStep#2 1000000..2000000   launch#3 1000000..1010000   launch#4 1012000..1014000
    gpu:0  gemm#3 1010000..1300000
    gpu:0  ncclDevKernel_AllReduce_Sum_f32_RING_LL#4 1300000..2000000
  )");
  const Advice advice = AdviceFor(a);
  const Finding* exposed = FindingOf(advice, "comm-exposed");
  ASSERT_NE(exposed, nullptr);
  EXPECT_EQ(exposed->saving.replay_hi.ns, 700000);
  EXPECT_EQ(exposed->saving.replay_lo.ns, 0);
  EXPECT_THAT(Render(exposed->sentence, Language::kEnglish), HasSubstr("one rank alone"));
  EXPECT_THAT(advice.cannot_tell,
              Contains(testing::Field(&CannotTellRow::rule, "straggler-or-imbalance")));
}

// Third: a host op that is open for 900 µs while the device computes is no compute and no finding.
TEST(Advise, HostTimeOfAnAsynchronousOpIsNotCompute) {
  const Analyzed a = AnalyzeText(R"(
    main   step:ProfilerStep#1 0..1000000   op:aten::mm 0..900000   launch#1 1000..2000
    gpu:0  gemm#1 3000..1000000
    main   step:ProfilerStep#2 1000000..2000000   op:aten::mm 1000000..1900000   launch#2 1001000..1002000
    gpu:0  gemm#2 1003000..2000000
  )");
  const Advice advice = AdviceFor(a);
  for (const Finding& finding : advice.findings) {
    EXPECT_NE(finding.severity, FindingSeverity::kHigh) << finding.title.id();
  }
}

TEST(Settings, ReadsThresholdsAndIgnoredRules) {
  const auto settings = ParseSettings(
      "# a comment\n[thresholds]\ninput-moderate = 0.08 # more\n[ignore]\npython-gc-pause = "
      "\"known\"\n",
      "stepscope.toml");
  ASSERT_TRUE(settings);
  EXPECT_DOUBLE_EQ(settings->limits[Limit::kInputModerate], 0.08);
  EXPECT_EQ(settings->ignored.at("python-gc-pause"), "known");
}

TEST(Settings, NamesTheLineAndWhatWasExpected) {
  const auto sentence = [](const char* text) {
    const auto settings = ParseSettings(text, "stepscope.toml");
    return settings ? std::string("fine") : InEnglish(settings.error().sentence);
  };
  EXPECT_THAT(sentence("[thresholds]\n\ninput-moderate = soon\n"), HasSubstr("Line 3"));
  EXPECT_THAT(sentence("[thresholds]\nno-such = 1\n"), HasSubstr("no threshold 'no-such'"));
  EXPECT_THAT(sentence("[thresholds]\ninput-modrate = 1\n"), HasSubstr("such as input-moderate"));
  EXPECT_THAT(sentence("[ignore]\npython-gc-pause = \"\"\n"), HasSubstr("no reason"));
  EXPECT_THAT(sentence("[ignore]\nnope = \"x\"\n"), HasSubstr("no rule 'nope'"));
  EXPECT_THAT(sentence("[ignore]\ninput-bound-stp = \"x\"\n"), HasSubstr("input-bound-step"));
  EXPECT_THAT(sentence("[colours]\n"), HasSubstr("[thresholds] or [ignore]"));
  EXPECT_THAT(sentence("a = 1\n"), HasSubstr("before any table"));
}

TEST(LogFacts, KnowsTheLinesThatMatter) {
  const LogFacts facts = ReadLogFacts(
      "W dso_loader: Could not load dynamic library 'libcupti.so.11.2'\n"
      "I cpu_feature_guard.cc: This TensorFlow binary is optimized ... To enable the following "
      "instructions: AVX2 FMA, in other operations, rebuild TensorFlow with the appropriate "
      "compiler flags.\n"
      "UserWarning: This DataLoader will create 64 worker processes in total. Our suggested max "
      "number of "
      "worker in current system is 16, which is smaller than\n"
      "[W] 12 Memcpy nodes are added to the graph main_graph for CUDAExecutionProvider.\n");
  EXPECT_EQ(facts.cupti.size(), 1u);
  EXPECT_THAT(facts.unused_isa, testing::ElementsAre("AVX2", "FMA"));
  EXPECT_EQ(facts.workers_created, 64);
  EXPECT_EQ(facts.workers_suggested, 16);
  EXPECT_EQ(facts.ort_memcpy_nodes, 12);
}

// Texts about a rule name limits as stepscope.toml does.
TEST(Catalogue, NamesLimitsThatExist) {
  const Limits limits;
  for (const Rule& rule : AllRules()) {
    for (const char* part :
         {"symptom", "detection", "threshold", "saving", "pytorch", "tensorflow", "jax",
          "onnx_runtime", "other", "false_alarms", "refuted_by", "sources"}) {
      const Message message = RuleText(rule.id, part, limits);
      if (message.empty()) continue;
      for (std::string_view rest = message.text()->english; !rest.empty();) {
        const TextPiece piece = TakePiece(rest);
        if (!piece.has_hole) continue;
        EXPECT_TRUE(limits.Named(piece.name)) << message.id() << ": " << piece.name;
      }
    }
  }
}

TEST(Catalogue, ExplainsTheLimitsInForce) {
  Limits limits;
  const auto threshold = [&](Language language) {
    return Render(RuleText("comm-exposed", "threshold", limits), language);
  };
  EXPECT_EQ(threshold(Language::kEnglish),
            "3 % moderate, 15 % high (XProf); 10 % (TensorBoard plugin).");
  ASSERT_TRUE(limits.Set("communication-high", 0.25));
  EXPECT_EQ(threshold(Language::kEnglish),
            "3 % moderate, 25 % high (XProf); 10 % (TensorBoard plugin).");
  EXPECT_EQ(threshold(Language::kChinese),
            "3 % 为中，25 % 为高（XProf）；10 %（TensorBoard 插件）。");
}

}  // namespace
}  // namespace stepscope
