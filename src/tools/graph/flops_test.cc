#include "tools/graph/flops.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

#include "base/testing/data.h"
#include "tools/tfprof/op_log/op_log.h"

namespace stepscope {
namespace {

struct ModelFiles {
  const char* graph;
  const char* op_log;
  const char* run;
};
class SharedModels : public testing::TestWithParam<ModelFiles> {};

// TensorFlow wrote its own counts into the op log.
TEST_P(SharedModels, FlopsEqualTensorFlows) {
  Diagnostics diagnostics;
  const auto graph = ReadGraphDef(TestData(std::string("tf/") + GetParam().graph), diagnostics);
  const auto log = ReadOpLog(TestData(std::string("tf/") + GetParam().op_log), diagnostics);
  const auto run = ReadRunMetadata(TestData(std::string("tf/") + GetParam().run), diagnostics);
  ASSERT_TRUE(graph && log && run);
  const GraphIndex index(*graph);
  const auto flops = CountFlops(index, InferShapes(index, {.observed = &*run}));
  size_t compared = 0;
  for (const OpLog::Entry& entry : log->entries) {
    const uint32_t node = index.Find(entry.name);
    if (node == index.size()) continue;
    const bool own_type = !entry.types.empty();  // entries a user wrote hold what the user likes
    if (own_type || entry.float_ops == 0) continue;
    ++compared;
    EXPECT_EQ(flops[node].value_or(0), entry.float_ops)
        << index.node(node).name << " " << index.node(node).op;
  }
  EXPECT_GT(compared, 20u);
}

INSTANTIATE_TEST_SUITE_P(
    Models, SharedModels,
    testing::Values(ModelFiles{"conv/graph.pb", "conv/op_log", "conv/run_meta_0.pb"},
                    ModelFiles{"seq/graph.pb", "seq/op_log", "seq/run_meta_0.pb"},
                    ModelFiles{"twodev/graph.pb", "twodev/op_log", "twodev/run_meta_0.pb"},
                    ModelFiles{"deep/graph.pb", "deep/op_log", "deep/run_meta_0.pb"}));

}  // namespace
}  // namespace stepscope
