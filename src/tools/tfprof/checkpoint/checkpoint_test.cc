#include "tools/tfprof/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "io/byte_source.h"

namespace stepscope {
namespace {

// What TensorFlow's checkpoint reader gave.
TEST(Checkpoint, EqualsTensorFlowsAnswers) {
  const std::string seq = TestData("tf/seq/");
  Diagnostics diagnostics;
  const auto checkpoint = ReadCheckpoint(seq + "ckpt", diagnostics);
  ASSERT_TRUE(checkpoint) << InEnglish(checkpoint.error().sentence);
  const auto bytes = ReadWhole(seq + "ckpt_answers.json");
  ASSERT_TRUE(bytes);
  const auto answers = ParseJson({bytes->bytes().data(), bytes->bytes().size()});
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->members().size(), checkpoint->variables.size());
  for (const auto& [name, answer] : answers->members()) {
    const Checkpoint::Variable* variable = checkpoint->Find(name);
    ASSERT_NE(variable, nullptr) << name;
    std::vector<int64_t> shape;
    for (const JsonValue& dim : answer["shape"].items()) shape.push_back(dim.AsInt());
    EXPECT_EQ(variable->shape.dims, shape);
    EXPECT_EQ(NameOf(variable->type), answer["dtype"].text());
    const auto values = ReadValues(*checkpoint, *variable);
    ASSERT_TRUE(values);
    if (variable->type != DataType::kFloat) continue;
    double sum = 0;
    for (size_t i = 0; i < values->size() / sizeof(float); ++i) {
      float value;
      std::memcpy(&value, values->data() + i * sizeof value, sizeof value);
      sum += value;
    }
    EXPECT_NEAR(sum, answer["sum"].AsDouble(), 1e-3 * (1 + std::abs(sum)));
  }
}

}  // namespace
}  // namespace stepscope
