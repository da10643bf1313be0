#include "read/run_metadata/run_metadata_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/data.h"
#include "read/graph_def/graph_def.h"

namespace stepscope {
namespace {

TEST(RunMetadataProto, CountsOfTheModelsReadme) {
  const std::pair<const char*, uint64_t> expected[] = {{"tf/conv/run_meta_0.pb", 356},
                                                       {"tf/seq/run_meta_0.pb", 673},
                                                       {"tf/seq/run_meta_1.pb", 213},
                                                       {"tf/twodev/run_meta_1.pb", 99},
                                                       {"tf/deep/run_meta_0.pb", 835}};
  for (const auto& [file, rows] : expected) {
    Diagnostics diagnostics;
    const auto run = ReadRunMetadata(TestData(file), diagnostics);
    ASSERT_TRUE(run) << file;
    EXPECT_EQ(run->rows, rows) << file;
    EXPECT_EQ(run->dropped_rows, 0u);
    EXPECT_TRUE(diagnostics.entries().empty());
  }
}

TEST(RunMetadataProtoAcceptance, OldGpuRun) {
  Diagnostics diagnostics;
  const auto run = ReadRunMetadata(AcceptanceData("tfprof/run_meta"), diagnostics);
  ASSERT_TRUE(run);
  std::vector<std::string_view> devices;
  for (const DeviceStepStats& device : run->devices) devices.push_back(device.device);
  EXPECT_THAT(devices, testing::IsSupersetOf({std::string_view("/gpu:0/stream:all"),
                                              std::string_view("/gpu:0/memcpy")}));
}

TEST(RunMetadataProto, EveryCutGivesTheRowsBeforeIt) {
  const auto whole = ReadWhole(TestData("tf/twodev/run_meta_1.pb"));
  ASSERT_TRUE(whole);
  Diagnostics clean;
  const auto full = ParseRunMetadata(*whole, "run_meta", clean);
  ASSERT_TRUE(full);
  uint64_t last = 0;
  for (size_t size = 0; size <= whole->bytes().size(); ++size) {
    Diagnostics diagnostics;
    const RunMetadata cut =
        ParseRunMetadataMessage(std::string_view(whole->bytes().data(), size), diagnostics);
    const uint64_t stored = cut.rows - cut.dropped_rows;
    EXPECT_GE(stored, last);
    last = stored;
    EXPECT_EQ(diagnostics.CountOf(Diagnostic::kMalformedEvent), cut.dropped_rows);
    if (size != 0 && size != whole->bytes().size()) {
      EXPECT_FALSE(diagnostics.entries().empty()) << size;
    }
  }
  EXPECT_EQ(last, full->rows);
}

TEST(GraphDefRead, NodesOfTheModelsReadme) {
  const std::pair<const char*, size_t> expected[] = {{"tf/conv/graph.pb", 594},
                                                     {"tf/seq/graph.pb", 898},
                                                     {"tf/twodev/graph.pb", 203},
                                                     {"tf/deep/graph.pb", 2150}};
  for (const auto& [file, nodes] : expected) {
    Diagnostics diagnostics;
    const auto graph = ReadGraphDef(TestData(file), diagnostics);
    ASSERT_TRUE(graph) << file << ": " << InEnglish(graph.error().sentence);
    EXPECT_EQ(graph->nodes.size(), nodes) << file;
    EXPECT_TRUE(diagnostics.entries().empty()) << file;
  }
}

TEST(GraphDefReadAcceptance, TextOfTensorFlowsTests) {
  Diagnostics diagnostics;
  const auto graph = ReadGraphDef(AcceptanceData("tfprof/graph.pbtxt"), diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->nodes.size(), 31u);
  EXPECT_TRUE(diagnostics.entries().empty());
}

TEST(GraphDefReadAcceptance, MetaGraph) {
  Diagnostics diagnostics;
  const auto graph = ReadGraphDef(AcceptanceData("tfprof/ckpt.meta"), diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_GT(graph->nodes.size(), 10u);
  EXPECT_TRUE(graph->has_collections);
  EXPECT_EQ(graph->variables.size(), 3u);
}

}  // namespace
}  // namespace stepscope
