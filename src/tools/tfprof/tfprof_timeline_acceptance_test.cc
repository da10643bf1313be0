#include "tools/tfprof/tfprof_timeline.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/testing/data.h"

namespace stepscope::tfprof {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(TfprofTimelineAcceptance, GoldensOfTensorFlowsTests) {
  const std::string data = AcceptanceData("tfprof/");
  Diagnostics diagnostics;
  auto graph = ReadGraphDef(data + "graph.pbtxt", diagnostics);
  auto run = ReadRunMetadata(data + "run_meta", diagnostics);
  ASSERT_TRUE(graph && run);
  Model model;
  model.AddGraph(std::make_shared<const GraphDef>(std::move(*graph)));
  model.AddRun(0, std::make_shared<const RunMetadata>(std::move(*run)));
  model.Finish();
  Options options;
  options.max_depth = 10000;
  options.step = 0;
  options.trim_name_regexes = {""};
  options.hide_name_regexes = {""};
  EXPECT_EQ(StepTimeline(model, GraphView(model, options), 0).json,
            Content(data + "expected/TFProfTimelineTest.GraphView.json"));
  options.max_depth = 5;
  EXPECT_EQ(TreeTimeline(ScopeView(model, options)),
            Content(data + "expected/TFProfTimelineTest.ScopeView.json"));
}

}  // namespace
}  // namespace stepscope::tfprof
