// TensorFlow's own tests of tfprof: the files its C++ tests compare with.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/testing/data.h"
#include "tools/tfprof/advise.h"
#include "tools/tfprof/checkpoint/checkpoint.h"
#include "tools/tfprof/tensor_text.h"
#include "tools/tfprof/text.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(AcceptanceData(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// TensorFlow's Hash64.
uint64_t Hash64(std::string_view data) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  uint64_t hash = 0xDECAFCAFFE ^ (data.size() * kMultiplier);
  for (; data.size() >= 8; data.remove_prefix(8)) {
    uint64_t k;
    std::memcpy(&k, data.data(), sizeof k);
    k *= kMultiplier;
    k ^= k >> 47;
    hash = (hash ^ (k * kMultiplier)) * kMultiplier;
  }
  for (size_t i = data.size(); i > 0; --i) {
    hash ^= static_cast<uint64_t>(static_cast<unsigned char>(data[i - 1])) << (8 * (i - 1));
  }
  if (!data.empty()) hash *= kMultiplier;
  hash ^= hash >> 47;
  hash *= kMultiplier;
  return hash ^ (hash >> 47);
}

class Goldens : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    Diagnostics diagnostics;
    auto graph = ReadGraphDef(AcceptanceData("tfprof/graph.pbtxt"), diagnostics);
    auto run = ReadRunMetadata(AcceptanceData("tfprof/run_meta"), diagnostics);
    auto log = ReadOpLog(AcceptanceData("tfprof/tfprof_log"), diagnostics);
    auto checkpoint = ReadCheckpoint(AcceptanceData("tfprof") + "/ckpt", diagnostics);
    ASSERT_TRUE(graph && run && log && checkpoint);
    EXPECT_TRUE(diagnostics.entries().empty());
    checkpoint_ = std::move(*checkpoint);
    std::vector<std::string> names;
    for (const auto& variable : checkpoint_.variables) names.push_back(variable.name);
    model_.AddGraph(std::make_shared<const GraphDef>(std::move(*graph)));
    model_.AddOpLog(std::make_shared<const OpLog>(std::move(*log)));
    model_.AddCheckpointVariables(names);
    EXPECT_TRUE(model_.AddRun(0, std::make_shared<const RunMetadata>(std::move(*run))));
    model_.Finish();
    // Once as read, once written as a ProfileProto and read again.
    if (GetParam()) Reload();
  }

  void Reload() {
    const std::string bytes = EncodeProfileProto(model_.ToProfile());
    auto owner = std::make_shared<const std::string>(bytes);
    Diagnostics diagnostics;
    auto profile = ParseProfileProto(FileBytes({owner->data(), owner->size()}, owner, std::nullopt),
                                     "profile", diagnostics);
    ASSERT_TRUE(profile);
    EXPECT_TRUE(diagnostics.entries().empty());
    model_ = Model();
    model_.SetProfile(std::make_shared<const ProfileProto>(std::move(*profile)));
    model_.Finish();
  }

  Model model_;
  Checkpoint checkpoint_;
};

Options TestOptions(int64_t max_depth) {
  Options options;
  options.max_depth = max_depth;
  options.trim_name_regexes = {""};
  options.hide_name_regexes = {""};
  return options;
}

std::string NoTensors(const Model& model, const View& view, const Options& options) {
  return ViewText(model, view, options, [](std::string_view) { return std::nullopt; });
}

TEST_P(Goldens, DumpScopeMode) {
  Options options = TestOptions(5);
  options.account_type_regexes = {"VariableV2"};
  options.select = {"params",       "bytes",  "peak_bytes",         "residual_bytes",
                    "output_bytes", "micros", "accelerator_micros", "cpu_micros",
                    "float_ops"};
  EXPECT_EQ(NoTensors(model_, ScopeView(model_, options), options),
            Content("tfprof/expected/TFProfShowTest.DumpScopeMode.txt"));
}

TEST_P(Goldens, DumpAcceleratorAndCpuMicros) {
  Options options = TestOptions(5);
  options.order_by = "cpu_micros";
  options.select = {"accelerator_micros", "cpu_micros"};
  EXPECT_EQ(NoTensors(model_, ScopeView(model_, options), options),
            Content("tfprof/expected/TFProfShowTest.DumpAcceleratorAndCPUMicros.txt"));
}

TEST_P(Goldens, DumpOpMode) {
  Options options = TestOptions(5);
  options.order_by = "params";
  options.min_occurrence = 1;
  options.select = {"params", "bytes", "micros", "float_ops", "occurrence", "input_shapes"};
  std::string text = NoTensors(model_, OpView(model_, options), options);
  std::erase(text, ' ');
  EXPECT_EQ(text, Content("tfprof/expected/TFProfShowTest.DumpOpMode.spaces_removed.txt"));
}

// A GraphNodeProto as text protobuf, the fields the goldens have.
class ProtoText {
 public:
  ProtoText(const Model& model, const View& view) : model_(model), view_(view) {}

  std::string Write() {
    Node(view_.root, 0);
    return out_;
  }

 private:
  void Put(size_t depth, const char* name, int64_t value) {
    if (value != 0) out_ += fmt::format("{:{}}{}: {}\n", "", depth * 2, name, value);
  }

  void Node(uint32_t row, size_t depth) {
    const ViewNode& node = view_.nodes[row];
    out_ += fmt::format("{:{}}name: \"{}\"\n", "", depth * 2, node.name);
    Put(depth, "exec_micros", node.self.micros);
    Put(depth, "requested_bytes", node.self.requested_bytes);
    Put(depth, "parameters", node.self.parameters);
    Put(depth, "total_exec_micros", node.total.micros);
    Put(depth, "total_requested_bytes", node.total.requested_bytes);
    Put(depth, "total_parameters", node.total.parameters);
    if (node.node != kNoNode) {
      const StringId device = model_.nodes()[static_cast<size_t>(node.node)].device;
      if (device != kEmptyString) {
        out_ += fmt::format("{:{}}devices: \"{}\"\n", "", depth * 2, model_.Text(device));
      }
    }
    for (const uint32_t child : node.shown_children) {
      out_ += fmt::format("{:{}}children {{\n", "", depth * 2);
      Node(child, depth + 1);
      out_ += fmt::format("{:{}}}}\n", "", depth * 2);
    }
    Put(depth, "float_ops", node.self.float_ops);
    Put(depth, "total_float_ops", node.total.float_ops);
    InputShapes(node, depth);
    Put(depth, "accelerator_exec_micros", node.self.accelerator_micros);
    Put(depth, "cpu_exec_micros", node.self.cpu_micros);
    Put(depth, "total_accelerator_exec_micros", node.total.accelerator_micros);
    Put(depth, "total_cpu_exec_micros", node.total.cpu_micros);
    Put(depth, "run_count", node.self.run_count);
    Put(depth, "total_run_count", node.total.run_count);
    Put(depth, "total_definition_count", node.total.definitions);
    Put(depth, "peak_bytes", node.self.peak_bytes);
    Put(depth, "residual_bytes", node.self.residual_bytes);
    Put(depth, "output_bytes", node.self.output_bytes);
    Put(depth, "total_peak_bytes", node.total.peak_bytes);
    Put(depth, "total_residual_bytes", node.total.residual_bytes);
    Put(depth, "total_output_bytes", node.total.output_bytes);
  }

  void InputShapes(const ViewNode& node, size_t depth) {
    if (node.node == kNoNode) return;
    for (const NodeInput& input : model_.nodes()[static_cast<size_t>(node.node)].inputs) {
      out_ += fmt::format("{:{}}input_shapes {{\n", "", depth * 2);
      out_ += fmt::format("{:{}}key: {}\n", "", depth * 2 + 2, input.index);
      out_ += fmt::format("{:{}}value {{\n", "", depth * 2 + 2);
      const std::vector<int64_t> shape = model_.InputShape(input);
      if (shape.empty()) out_ += fmt::format("{:{}}unknown_rank: true\n", "", depth * 2 + 4);
      for (const int64_t dim : shape) {
        out_ +=
            fmt::format("{0:{1}}dim {{\n{0:{1}}  size: {2}\n{0:{1}}}}\n", "", depth * 2 + 4, dim);
      }
      out_ += fmt::format("{0:{1}}  }}\n{0:{1}}}}\n", "", depth * 2);
    }
  }

  const Model& model_;
  const View& view_;
  std::string out_;
};

// Fields in any order: the goldens were printed by hand. Empty lines and blanks do not count.
std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      if (c != ' ' || line.find('"') != std::string::npos) line += c;
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    line.clear();
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_P(Goldens, CustomOpType) {
  Options options = TestOptions(3);
  options.account_type_regexes = {"_trainable_variables"};
  const View view = ScopeView(model_, options);
  EXPECT_EQ(SortedLines(ProtoText(model_, view).Write()),
            SortedLines(Content("tfprof/expected/TFProfStatsTest.CustomOpType.pbtxt")));
  options.account_type_regexes = {"_checkpoint_variables"};
  const View from_checkpoint = ScopeView(model_, options);
  EXPECT_EQ(SortedLines(ProtoText(model_, from_checkpoint).Write()),
            SortedLines(Content("tfprof/expected/TFProfStatsTest.CheckPointOpType.pbtxt")));
}

TEST_P(Goldens, Graph) {
  Options options = TestOptions(100);
  options.start_name_regexes = {"DW/Initializer/random_normal/mul"};
  const View view = GraphView(model_, options);
  EXPECT_EQ(SortedLines(ProtoText(model_, view).Write()),
            SortedLines(Content("tfprof/expected/TFProfStatsTest.TestGraph.pbtxt")));
  EXPECT_EQ(view.Root().total.definitions, 32);
}

TEST_P(Goldens, FloatOps) {
  Options options = TestOptions(10);
  options.min_float_ops = 1;
  const View view = ScopeView(model_, options);
  EXPECT_EQ(SortedLines(ProtoText(model_, view).Write()),
            SortedLines(Content("tfprof/expected/TFProfStatsTest.TestFloatOps.pbtxt")));
  EXPECT_EQ(view.Root().total.definitions, 35);
}

TEST_P(Goldens, AccountShownNameOnly) {
  Options options = TestOptions(100);
  options.show_name_regexes = {"Conv2D_1"};
  options.account_displayed_op_only = true;
  const View view = ScopeView(model_, options);
  EXPECT_EQ(SortedLines(ProtoText(model_, view).Write()),
            SortedLines(Content("tfprof/expected/TFProfStatsTest.TestAccountShownNameOnly.pbtxt")));
}

INSTANTIATE_TEST_SUITE_P(Acceptance, Goldens, testing::Bool());

TEST(CheckpointGoldensAcceptance, TensorValues) {
  Diagnostics diagnostics;
  const auto checkpoint = ReadCheckpoint(AcceptanceData("tfprof") + "/ckpt", diagnostics);
  ASSERT_TRUE(checkpoint);
  const Checkpoint::Variable* variable = checkpoint->Find("DW");
  ASSERT_NE(variable, nullptr);
  const auto values = ReadValues(*checkpoint, *variable);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 162 * sizeof(float));
  // value_double lines of the golden, with six significant digits.
  const std::string golden = Content("tfprof/expected/TFProfStatsTest.TestShowTensorValue.pbtxt");
  size_t at = 0;
  for (size_t i = 0; i < 162; ++i) {
    at = golden.find("value_double:", at) + std::strlen("value_double:");
    float ours;
    std::memcpy(&ours, values->data() + i * sizeof ours, sizeof ours);
    EXPECT_DOUBLE_EQ(std::strtod(fmt::format("{:g}", ours).c_str(), nullptr),
                     std::strtod(golden.c_str() + at, nullptr));
  }
  EXPECT_EQ(golden.find("value_double:", at), std::string::npos);
  const std::string text = FormatTensor(variable->type, variable->shape, *values);
  EXPECT_EQ(std::count(text.begin(), text.end(), '['), 1 + 3 + 9 + 27);
}

TEST(Hash64Acceptance, TimelinesOfTensorFlowsTests) {
  EXPECT_EQ(Hash64(Content("tfprof/expected/TFProfTimelineTest.GraphView.json")),
            16556121177519539380u);
  EXPECT_EQ(Hash64(Content("tfprof/expected/TFProfTimelineTest.ScopeView.json")),
            17545174915963890413u);
}

}  // namespace
}  // namespace stepscope::tfprof
