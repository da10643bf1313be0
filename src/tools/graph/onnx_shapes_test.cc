// Models whose shapes ONNX's own inference gave (bench/peers/make_onnx.py).
#include <gtest/gtest.h>

#include <string>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "io/byte_source.h"
#include "tools/graph/flops.h"
#include "tools/graph/onnx/onnx_model.h"
#include "tools/graph/shapes.h"
#include "tools/graph/variables.h"

namespace stepscope {
namespace {

std::string Model(const std::string& name) { return SourceFile("tests/onnx/" + name); }

class OnnxModels : public testing::TestWithParam<const char*> {};

// Values of the models by the node that makes them.
uint32_t NodeOf(const GraphIndex& index, std::string_view value) {
  constexpr std::pair<std::string_view, std::string_view> kMakers[] = {
      {"c1", "conv1"},    {"n1", "norm1"}, {"r1", "relu1"}, {"p1", "pool1"}, {"c2", "conv2"},
      {"a2", "residual"}, {"q", "mean"},   {"f", "flat"},   {"y", "fc"},     {"e", "embed"},
      {"k", "key"},       {"kt", "turn"},  {"s", "scores"}, {"p", "prob"},   {"o", "mix"},
      {"r", "flatten"},   {"u", "grow"},   {"d", "double"}, {"z", "reduce"}, {"q", "query"}};
  for (const auto& [made, maker] : kMakers) {
    if (made == value && index.Find(maker) != index.size()) return index.Find(maker);
  }
  return index.size();
}

TEST_P(OnnxModels, ShapesEqualOnnxs) {
  Diagnostics diagnostics;
  const auto graph = ReadOnnxModel(Model(GetParam() + std::string(".onnx")), diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_TRUE(diagnostics.entries().empty());
  const auto bytes = ReadWhole(Model(GetParam() + std::string(".json")));
  ASSERT_TRUE(bytes);
  const auto answers = ParseJson({bytes->bytes().data(), bytes->bytes().size()});
  ASSERT_TRUE(answers);
  const GraphIndex index(*graph);
  const auto shapes = InferShapes(index, {});
  size_t compared = 0;
  for (const auto& [value, answer] : answers->members()) {
    const uint32_t node = NodeOf(index, value);
    ASSERT_LT(node, index.size()) << value;
    ASSERT_EQ(shapes[node].outputs.size(), 1u) << value;
    std::vector<int64_t> dims;
    for (const JsonValue& dim : answer.items()) dims.push_back(dim.AsInt());
    EXPECT_EQ(shapes[node].outputs[0].dims, dims) << value;
    ++compared;
  }
  EXPECT_GE(compared, 9u);
}

INSTANTIATE_TEST_SUITE_P(Made, OnnxModels, testing::Values("conv_net", "attention"));

TEST(OnnxModel, ParametersAndFlops) {
  Diagnostics diagnostics;
  const auto graph = ReadOnnxModel(Model("attention.onnx"), diagnostics);
  ASSERT_TRUE(graph);
  const GraphIndex index(*graph);
  const Variables variables = FindVariables(index, {});
  // 100×16 + 2 × 16×16, and three small integer constants.
  EXPECT_EQ(variables.ParametersOf(VariableRole::kFrozen), 1600 + 512 + 2 + 1 + 1);
  const auto flops = CountFlops(index, InferShapes(index, {}));
  // [4,12,16] × [16,16]: 2·16·(4·12·16)
  EXPECT_EQ(flops[index.Find("query")], 2 * 16 * 4 * 12 * 16);
}

}  // namespace
}  // namespace stepscope
