#include "tools/graph/variables.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tools/graph/graph_path.h"

namespace stepscope {
namespace {

// Two layers; w1 and w2 are trained with momentum, `fixed` is only read, `seen` counts.
constexpr std::string_view kGraph = R"(
node { name: "w1" op: "VariableV2"
  attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 10 } } } } }
node { name: "w2" op: "VariableV2"
  attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 4 } dim { size: 5 } } } } }
node { name: "fixed" op: "VariableV2"
  attr { key: "dtype" value { type: DT_HALF } } attr { key: "shape" value { shape { dim { size: 5 } } } } }
node { name: "seen" op: "VariableV2"
  attr { key: "dtype" value { type: DT_INT64 } } attr { key: "shape" value { shape { } } } }
node { name: "w1/Momentum" op: "VariableV2"
  attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 10 } } } } }
node { name: "one" op: "Const" }
node { name: "x" op: "Placeholder" }
node { name: "h" op: "Mul" input: "x" input: "w1" }
node { name: "g" op: "Mul" input: "h" input: "fixed" }
node { name: "y" op: "Mul" input: "g" input: "w2" }
node { name: "gradients/y" op: "Mul" input: "one" input: "y" }
node { name: "gradients/w2" op: "Mul" input: "gradients/y" input: "g" }
node { name: "gradients/h" op: "Mul" input: "gradients/y" input: "w2" }
node { name: "gradients/w1" op: "Mul" input: "gradients/h" input: "x" }
node { name: "gradients/nobody" op: "Mul" input: "gradients/h" input: "x" }
node { name: "train/w1" op: "ApplyMomentum" input: "w1" input: "w1/Momentum" input: "one" input: "gradients/w1" }
node { name: "train/w2" op: "ApplyGradientDescent" input: "w2" input: "one" input: "gradients/w2" }
node { name: "count" op: "AssignAdd" input: "seen" input: "one" }
)";

class VariablesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto owner = std::make_shared<const std::string>(kGraph);
    Diagnostics diagnostics;
    auto graph = ParseGraphDef(FileBytes({owner->data(), owner->size()}, owner, std::nullopt),
                               "graph.pbtxt", diagnostics);
    ASSERT_TRUE(graph) << InEnglish(graph.error().sentence);
    graph_ = std::move(*graph);
    index_ = std::make_unique<GraphIndex>(graph_);
    variables_ = FindVariables(*index_, {});
  }
  const Variable& At(std::string_view name) const {
    for (const Variable& variable : variables_.items) {
      if (variable.name == name) return variable;
    }
    static const Variable kNone;
    return kNone;
  }

  GraphDef graph_;
  std::unique_ptr<GraphIndex> index_;
  Variables variables_;
};

TEST_F(VariablesTest, RolesFromUpdates) {
  EXPECT_EQ(At("w1").role, VariableRole::kTrained);
  EXPECT_EQ(At("w2").role, VariableRole::kTrained);
  EXPECT_EQ(At("fixed").role, VariableRole::kFrozen);
  EXPECT_EQ(At("seen").role, VariableRole::kStatistic);
  EXPECT_EQ(At("w1/Momentum").role, VariableRole::kSlot);
  EXPECT_EQ(variables_.ParametersOf(VariableRole::kTrained), 10 + 4 * 5);
  EXPECT_EQ(At("fixed").bytes, 5 * 2);
}

TEST_F(VariablesTest, FreezingTheFirstLayer) {
  const FreezeEffect effect =
      Freeze(*index_, variables_, [](std::string_view name) { return name == "w1"; });
  EXPECT_EQ(effect.parameters, 10);
  EXPECT_EQ(effect.slot_bytes, 10 * 4);
  // gradients/y is needed for w2 all the same.
  ASSERT_EQ(effect.gradient_nodes.size(), 2u);
  EXPECT_EQ(index_->node(effect.gradient_nodes[0]).name, "gradients/h");
  EXPECT_EQ(index_->node(effect.gradient_nodes[1]).name, "gradients/w1");
  EXPECT_EQ(effect.all_gradient_nodes, 5u);
  ASSERT_EQ(effect.update_nodes.size(), 1u);
}

TEST_F(VariablesTest, GradientsForNobody) {
  const auto unused = UnusedGradients(*index_, variables_);
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(index_->node(unused[0]).name, "gradients/nobody");
}

// In graph order 10, 20, 5, 1, 10 elements: each on the lighter device, the first of equals.
TEST_F(VariablesTest, PlacementOnTheLeastLoaded) {
  const Placement placement = PlaceVariables(*index_, variables_, {"gpu:0", "gpu:1"});
  std::vector<uint32_t> devices;
  for (const Placement::Row& row : placement.rows) devices.push_back(row.device);
  EXPECT_EQ(devices, (std::vector<uint32_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(placement.load, (std::vector<int64_t>{26, 20}));
}

TEST_F(VariablesTest, ShortestPath) {
  const auto path = ShortestPath(*index_, index_->Find("x"), index_->Find("y"));
  std::string text;
  for (const uint32_t node : path) text += std::string(index_->node(node).name) + " ";
  EXPECT_EQ(text, "x h g y ");
  EXPECT_TRUE(ShortestPath(*index_, index_->Find("y"), index_->Find("x")).empty());
}

TEST(IsGradientNode, ByScope) {
  EXPECT_TRUE(IsGradientNode("gradients/a"));
  EXPECT_TRUE(IsGradientNode("train/gradients_1/a/b"));
  EXPECT_FALSE(IsGradientNode("my_gradients/a"));
  EXPECT_FALSE(IsGradientNode("gradients"));
  EXPECT_FALSE(IsGradientNode("gradients_of/a"));
}

}  // namespace
}  // namespace stepscope
