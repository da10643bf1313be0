#include "analyze/input/tf_data.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"
#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

const InputStage& StageAt(const Input& input, const std::string& path) {
  for (const InputStage& stage : input.stages) {
    if (stage.path == path) return stage;
  }
  static const InputStage kNone;
  ADD_FAILURE() << "no stage " << path;
  return kNone;
}

TEST(AnalyzeTfData, AWaitIsBlamedOnTheStageThatKeptItUp) {
  // The consumer waits 60 in Prefetch; meanwhile the producer is in Map, whose source takes 10.
  const Analyzed a = AnalyzeText(R"(
    main      step:ProfilerStep#1 0..100   input:Iterator::Root 0..60
    thread:2  input:Iterator::Root::Prefetch 0..60
    thread:3  input:Iterator::Root::Prefetch::Map 5..95   input:Iterator::Root::Prefetch::Map::Range 20..30
  )");
  const Input& input = a.report.input;
  EXPECT_EQ(input.wait[0].ns, 60);
  EXPECT_EQ(StageAt(input, "Root > Prefetch > Map").blocking.ns, 45);
  EXPECT_EQ(StageAt(input, "Root > Prefetch > Map > Range").blocking.ns, 10);
  EXPECT_EQ(StageAt(input, "Root > Prefetch").blocking.ns, 5);
  EXPECT_EQ(StageAt(input, "Root").blocking.ns, 0);
  EXPECT_EQ(StageAt(input, "Root > Prefetch > Map").self.ns, 80);
  EXPECT_EQ(StageAt(input, "Root > Prefetch").self.ns, 5);
  EXPECT_EQ(input.stages.front().name, "Map");
  int64_t blocked = 0;
  for (const InputStage& stage : input.stages) blocked += stage.blocking.ns;
  EXPECT_EQ(blocked, 60);
}

TEST(AnalyzeTfData, EpochsOfARepeatAreOneStage) {
  const Analyzed a = AnalyzeText(R"(
    main  step:ProfilerStep#1 0..100   input:Iterator::Root 0..20   input:Iterator::Root 40..60
    main  input:Iterator::Root::Repeat[0]::Batch 2..18   input:Iterator::Root::Repeat[1]::Batch 42..58
  )");
  EXPECT_EQ(StageAt(a.report.input, "Root > Repeat > Batch").calls, 2u);
}

// tf_xplane/README.md: what is true of each file by construction.
TEST(AnalyzeTfData, NamesTheSlowStageOfRealPipelines) {
  const RealReport fused = ReportOf(TestData("tf_xplane/keras_inputbound.xplane.pb.zst"));
  const RealReport plain = ReportOf(TestData("tf_xplane/keras_inputbound_plain.xplane.pb.zst"));

  EXPECT_EQ(fused.report.verdict.bound_by, BoundBy::kInput);
  EXPECT_EQ(fused.linked.steps.items.size(), 21u);
  EXPECT_EQ(fused.linked.steps.items.front().number, 49);
  const InputStage& slow = fused.report.input.stages.front();
  EXPECT_EQ(slow.name, "MapAndBatch");  // not Prefetch, which only waits
  EXPECT_EQ(slow.written_as, "fused(MapDataset:1,BatchDatasetV2:2)");
  EXPECT_TRUE(slow.user_written);
  EXPECT_EQ(slow.parallelism, 1);
  EXPECT_FALSE(StageAt(fused.report.input, "Root > Prefetch").user_written);  // TensorFlow's own
  // The consumer is never ahead: all 21 calls carry buffer_limit and no buffered_elements.
  EXPECT_EQ(StageAt(fused.report.input, "Root > Prefetch").buffer_seen, 21u);
  EXPECT_EQ(StageAt(fused.report.input, "Root > Prefetch").buffer_empty, 21u);
  int64_t wait = 0;
  for (const DurationNs step : fused.report.input.wait) wait += step.ns;
  EXPECT_NEAR(static_cast<double>(wait) / 21, 27.631e6, 1e3);

  EXPECT_EQ(plain.report.verdict.bound_by, BoundBy::kInput);
  const InputStage& map = plain.report.input.stages.front();
  EXPECT_EQ(map.path, "Root > ForeverRepeat > BatchV2 > Map");
  EXPECT_EQ(map.calls, 88u);
  EXPECT_NEAR(static_cast<double>(map.self.ns), 304.8e6, 0.05e6);
}

TEST(AnalyzeTfData, ABufferThatKeepsUpIsFull) {
  const RealReport real = ReportOf(TestData("tf_xplane/keras_fixed.xplane.pb.zst"));
  const InputStage& prefetch = StageAt(real.report.input, "Root > Prefetch");
  EXPECT_EQ(prefetch.buffer_limit, 2);
  EXPECT_EQ(prefetch.buffered, 2.0);  // at each of the 21 calls
  EXPECT_EQ(prefetch.buffer_seen, 21u);
  EXPECT_EQ(prefetch.buffer_empty, 0u);
}

TEST(AnalyzeTfData, RepairedAndComputeBoundPipelinesAreNotBlamed) {
  for (const std::string name : {"keras_fixed", "custom_compute", "jax_train", "custom_readback"}) {
    const RealReport real = ReportOf(TestData("tf_xplane/" + name + ".xplane.pb.zst"));
    EXPECT_NE(real.report.verdict.bound_by, BoundBy::kInput) << name;
  }
}

}  // namespace
}  // namespace stepscope
