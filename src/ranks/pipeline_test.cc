#include "ranks/pipeline.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// A stage that computes 60 of each 100 and hands on `sends` micro-batches a step.
RankDigest StageOf(int64_t rank, uint32_t sends) {
  RankDigest digest;
  digest.rank = rank;
  digest.world_size = 4;
  digest.groups = {{.name = "pp", .description = "", .backend = "nccl", .size = 4}};
  digest.signatures = {{.group = 0, .type = CollectiveType::kSend},
                       {.group = 0, .type = CollectiveType::kReceive}};
  std::vector<Interval> compute;
  for (int64_t s = 0; s < 3; ++s) {
    const int64_t start = s * 100;
    digest.steps.push_back(
        {.number = s, .start = {start}, .end = {start + 100}, .compute = {60}, .idle = {40}});
    compute.push_back({{start}, {start + 60}});
    for (uint32_t i = 0; i < sends; ++i) {
      for (const uint32_t signature : {0U, 1U}) {
        digest.calls.push_back({.start = {start + 10},
                                .end = {start + 11},
                                .signature = signature,
                                .step = static_cast<uint32_t>(s)});
      }
    }
  }
  digest.compute = IntervalSet::Of(std::move(compute));
  return digest;
}

// Four stages and eight micro-batches: 3 / 11 of the step at best. The stages in the middle hand
// each micro-batch on in both directions.
TEST(Pipeline, BubbleAgainstTheIdeal) {
  const RankDigest first = StageOf(0, 8), second = StageOf(1, 16), third = StageOf(2, 16),
                   last = StageOf(3, 8);
  const std::vector<const RankDigest*> ranks = {&first, &second, &third, &last};
  const std::optional<Pipeline> pipeline = FindPipeline(ranks);
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(pipeline->stages, 4u);
  EXPECT_EQ(pipeline->micro_batches, 8u);
  EXPECT_DOUBLE_EQ(pipeline->ideal_bubble, 3.0 / 11);
  EXPECT_DOUBLE_EQ(pipeline->measured_bubble, 0.4);
  EXPECT_DOUBLE_EQ(pipeline->stage_imbalance, 1);
}

TEST(Pipeline, NoneWithoutSends) {
  const RankDigest one = StageOf(0, 0), other = StageOf(1, 0);
  const std::vector<const RankDigest*> ranks = {&one, &other};
  EXPECT_FALSE(FindPipeline(ranks));
}

}  // namespace
}  // namespace stepscope
