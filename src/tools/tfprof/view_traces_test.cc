// Views of profiles that are no TensorFlow model: several ranks, and data flow.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "command/testing/run_verb.h"
#include "command/verb.h"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// One forward op with a kernel, its backward op with another, by hand.
std::string TraceOfRank(int rank, const TempDir& folder) {
  const std::string text = R"({"schemaVersion": 1, "distributedInfo": {"rank": )" +
                           std::to_string(rank) + R"(, "world_size": 2},
"deviceProperties": [{"id": 0, "name": "GPU"}],
"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":100,"dur":50,"args":{"Sequence number":7}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"mul_kernel","pid":0,"tid":7,"ts":130,"dur":40,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"cpu_op","name":"MulBackward0","pid":1,"tid":2,"ts":300,"dur":60,"args":{"Sequence number":7,"Fwd thread id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":310,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"backward_kernel","pid":0,"tid":7,"ts":330,"dur":70,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":3,"pid":1,"tid":1,"ts":100},
{"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":3,"pid":1,"tid":2,"ts":300,"bp":"e"}
]})";
  std::string path = folder / ("rank" + std::to_string(rank) + ".pt.trace.json");
  std::ofstream(path) << text;
  return path;
}

TEST(ViewTraces, OneSectionARank) {
  const TempDir folder;
  const std::string zero = TraceOfRank(0, folder);
  const std::string one = TraceOfRank(1, folder);
  const Ran both = RunVerb(RunView, {"op", zero, one});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("rank 0: " + zero));
  EXPECT_THAT(both.out, HasSubstr("rank 1: " + one));
  const Ran chosen = RunVerb(RunView, {"op", zero, one, "--trace", "1", "--json"});
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  ASSERT_TRUE(ParseJson(chosen.out));
  EXPECT_EQ((*ParseJson(chosen.out))["rank"].AsInt(), 1);
  const auto joined = ParseJson(RunVerb(RunView, {"op", zero, one, "--json"}).out);
  ASSERT_TRUE(joined);
  EXPECT_EQ((*joined)["schema"].text(), "stepscope.views/1");
  ASSERT_EQ((*joined)["views"].items().size(), 2u);
  EXPECT_EQ((*joined)["views"].items()[1]["rows"].items().size(), 2u);
  const Ran csv = RunVerb(RunView, {"op", zero, one, "--csv"});
  EXPECT_THAT(csv.out, HasSubstr("trace,name,depth"));
  EXPECT_THAT(csv.out, HasSubstr(one + ",aten::mul"));
}

TEST(ViewTraces, WrongChoicesSaySo) {
  const TempDir folder;
  const std::string zero = TraceOfRank(0, folder);
  const std::string one = TraceOfRank(1, folder);
  const std::string in_its_name = folder / "job7.json";
  std::filesystem::copy(one, in_its_name);
  const Ran absent = RunVerb(RunView, {"op", zero, in_its_name, "--trace", "7"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.err, HasSubstr("rank 0"));
  const std::string out = folder / "views";
  EXPECT_EQ(RunVerb(RunView, {"op", zero, one, "-output", "file:outfile=" + out}).status, 2);
  EXPECT_EQ(RunVerb(RunView, {"op", SourceFile("tests/tfprof/conv"), "--trace", "1"}).status, 2);
}

// A kernel takes from the op that launched it, a backward op from its forward op.
TEST(ViewTraces, GraphIsDataFlow) {
  const TempDir folder;
  const std::string trace = TraceOfRank(0, folder);
  const Ran ran =
      RunVerb(RunView, {"graph", trace, "-select", "micros,params,occurrence", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = ParseJson(ran.out);
  ASSERT_TRUE(json);
  std::map<std::string, std::pair<int64_t, int64_t>> rows;  // depth, total
  for (const JsonValue& row : (*json)["rows"].items()) {
    rows[row["name"].text()] = {row["depth"].AsInt(), row["total_micros"].AsInt()};
    EXPECT_TRUE(row["params"].is_null());  // not there
  }
  const std::map<std::string, std::pair<int64_t, int64_t>> wanted{
      {"_TFProfRoot", {0, 220}},
      {"backward_kernel", {1, 180}},  // 70 + 60 + 50
      {"MulBackward0", {2, 110}},
      {"aten::mul", {3, 50}},
      {"mul_kernel", {1, 40}}};  // its op was counted above: every node once
  EXPECT_EQ(rows, wanted);
  const Ran table = RunVerb(RunView, {"graph", trace, "-select", "micros,params"});
  EXPECT_THAT(table.out, HasSubstr("This profile has no params."));
}

// PyTorch writes shapes with every call; they are shown as it spells them.
TEST(ViewTraces, ShapesOfCalls) {
  const TempDir folder;
  const std::string file = folder / "shapes.json";
  std::ofstream(file) << R"({"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":10,
     "args":{"Input Dims":[[2,3],[3,4]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":12,"dur":3},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":20,"dur":30,
     "args":{"Input Dims":[[5,6],[6,7]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":60,"dur":40,
     "args":{"Input Dims":[[5,6],[6,7]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":112,"dur":3}]})";
  const std::vector<std::string> words{"op", file, "-select", "micros,input_shapes"};
  const Ran table = RunVerb(RunView, words);
  EXPECT_THAT(table.out, HasSubstr("[[5,6],[6,7]] and 1 more"));
  auto plain = words;
  plain.insert(plain.end(), {"-output", "stdout"});
  const Ran text = RunVerb(RunView, plain);
  EXPECT_THAT(text.out, HasSubstr("input_type: [[5,6],[6,7]]\t(run*2|defined*1)\texec_time: 70us"));
  EXPECT_THAT(text.out, HasSubstr("input_type: [[2,3],[3,4]]\t(run*1|defined*1)\texec_time: 10us"));
}

// Operands of the compiled modules that a JAX profile carries.
TEST(ViewTraces, GraphOfXlaInstructions) {
  const std::string file = TestData("h200/jax_mlp.xplane.pb.zst");
  const Ran ran = RunVerb(RunView, {"graph", file, "-max_depth", "100", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("no data flow")));
  size_t deepest = 0;
  const auto json = ParseJson(ran.out);
  ASSERT_TRUE(json);
  for (const JsonValue& row : (*json)["rows"].items()) {
    deepest = std::max(deepest, static_cast<size_t>(row["depth"].AsInt()));
  }
  EXPECT_GE(deepest, 5u);
}

// Names hold the names of all scopes around them: 20,000 levels would take gigabytes.
TEST(ViewTraces, DeepNestsAreCountedAtTheLastLevelShown) {
  constexpr int kSpans = 20'000;
  const TempDir folder;
  const std::string path = folder / "nested.json";
  std::string text = "[";
  for (int i = 0; i < kSpans; ++i) {
    text += fmt::format(
        R"({{"ph":"X","cat":"cpu_op","name":"op{}","pid":1,"tid":1,"ts":{},"dur":{}}},)", i, i * 10,
        (kSpans - i) * 20);
  }
  text.back() = ']';
  std::ofstream(path) << text;
  const Ran ran = RunVerb(RunView, {"scope", path, "--json", "-max_depth", "100000"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("19743 spans nest deeper than 256 levels"));
  const auto json = ParseJson(ran.out);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["rows"].items().size(), 258U);  // the root, and 257 spans
  // The outermost span lasts 400,000 µs, and every span runs inside of it.
  EXPECT_EQ((*json)["rows"].items()[0]["total_cpu_micros"].AsInt(), 400'000);
}

}  // namespace
}  // namespace stepscope
