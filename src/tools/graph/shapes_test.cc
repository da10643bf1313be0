#include "tools/graph/shapes.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/data.h"

namespace stepscope {
namespace {

std::string TextOf(const TensorShape& shape) {
  if (shape.unknown_rank) return "?";
  std::string text = "[";
  for (const int64_t dim : shape.dims) text += std::to_string(dim) + " ";
  return text + "]";
}

// Whether the two can be shapes of one tensor.
bool Agree(const TensorShape& a, const TensorShape& b) {
  if (a.unknown_rank || b.unknown_rank) return true;
  if (a.dims.size() != b.dims.size()) return false;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

class SharedGraphs : public testing::TestWithParam<const char*> {};

// TensorFlow's own shapes, left out and inferred again.
TEST_P(SharedGraphs, ShapesAreInferredAgain) {
  Diagnostics diagnostics;
  const auto graph = ReadGraphDef(TestData(std::string("tf/") + GetParam()), diagnostics);
  ASSERT_TRUE(graph);
  const GraphIndex index(*graph);
  const std::vector<NodeShapes> inferred = InferShapes(index, {.use_attributes = false});
  size_t total = 0;
  size_t equal = 0;
  for (uint32_t i = 0; i < index.size(); ++i) {
    const auto truth = index.node(i).Shapes("_output_shapes");
    if (!truth) continue;
    for (size_t j = 0; j < truth->size(); ++j) {
      ++total;
      const TensorShape ours =
          j < inferred[i].outputs.size() ? inferred[i].outputs[j] : TensorShape{{}, true};
      EXPECT_TRUE(Agree(ours, (*truth)[j])) << index.node(i).name << " " << index.node(i).op << ": "
                                            << TextOf(ours) << " for " << TextOf((*truth)[j]);
      equal += ours == (*truth)[j] ? 1 : 0;
      if (getenv("SHOW_MISSED") != nullptr && !(ours == (*truth)[j])) {
        printf("%s %s %zu: %s for %s\n", std::string(index.node(i).name).c_str(),
               std::string(index.node(i).op).c_str(), j, TextOf(ours).c_str(),
               TextOf((*truth)[j]).c_str());
      }
    }
  }
  RecordProperty("shapes", static_cast<int>(total));
  RecordProperty("equal", static_cast<int>(equal));
  EXPECT_GE(static_cast<double>(equal), 0.95 * static_cast<double>(total))
      << equal << " of " << total;
}

INSTANTIATE_TEST_SUITE_P(Models, SharedGraphs,
                         testing::Values("conv/graph.pb", "seq/graph.pb", "twodev/graph.pb",
                                         "deep/graph.pb"));

}  // namespace
}  // namespace stepscope
