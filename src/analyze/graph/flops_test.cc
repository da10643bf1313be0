#include "analyze/graph/flops.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <unordered_map>

#include "read/op_log/op_log.h"

namespace stepscope {
namespace {

const std::string kData = STEPSCOPE_SOURCE_DIR "/../shared/data/tf/";

struct ModelFiles {
  const char* graph;
  const char* op_log;
  const char* run;
};
class SharedModels : public testing::TestWithParam<ModelFiles> {};

// TensorFlow wrote its own counts into the op log.
TEST_P(SharedModels, FlopsEqualTensorFlows) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << "SKIPPED: no " << kData;
  Diagnostics diagnostics;
  const auto graph = ReadGraphDef(kData + GetParam().graph, diagnostics);
  const auto log = ReadOpLog(kData + GetParam().op_log, diagnostics);
  const auto run = ReadRunMetadata(kData + GetParam().run, diagnostics);
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
    testing::Values(ModelFiles{"conv/graph.pb.gz", "conv/op_log.gz", "conv/run_meta_0.pb.gz"},
                    ModelFiles{"seq/graph.pb.gz", "seq/op_log.gz", "seq/run_meta_0.pb.gz"},
                    ModelFiles{"twodev/graph.pb", "twodev/op_log", "twodev/run_meta_0.pb"},
                    ModelFiles{"deep/graph.pb.gz", "deep/op_log.gz", "deep/run_meta_0.pb.gz"}));

}  // namespace
}  // namespace stepscope
