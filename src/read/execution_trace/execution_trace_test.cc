#include "read/execution_trace/execution_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "read/execution_trace/join.h"
#include "read/open.h"

namespace stepscope {
namespace {

using testing::HasSubstr;

struct Joined {
  Profile profile;
  std::vector<ExecutionRows> rows;
};

Joined Join(const std::vector<std::string>& paths) {
  TaskPool pool(1);
  std::vector<std::string> executions;
  OpenOptions options;
  options.executions = &executions;
  Result<Profile> profile = OpenProfile(paths, options, pool);
  if (!profile) throw std::runtime_error(InEnglish(profile.error().sentence));
  Joined joined{std::move(*profile), {}};
  joined.rows = JoinExecutionTraces(executions, joined.profile);
  return joined;
}

// The numbers were counted with Python's json module: ids and names of both files, the last writer
// of each tensor by 20 lines of Python.
TEST(ExecutionTrace, ARealPairIsJoinedById) {
  const Joined joined = Join({TestData("h200/et_linked.execution_trace.json.zst"),
                              TestData("h200/et_linked.pt.trace.json.zst")});
  const Trace& trace = joined.profile.traces.at(0);
  const ExecutionRows& rows = joined.rows.at(0);
  ASSERT_EQ(rows.nodes.size(), 262u);
  EXPECT_EQ(std::ranges::count_if(rows.nodes, [](const auto& n) { return n.slice != kNoRow; }),
            259);
  size_t with_shapes = 0;
  for (const ExecutionNode& node : rows.nodes) {
    if (node.slice == kNoRow) continue;
    EXPECT_EQ(trace.slices.name[node.slice], node.name);
    const OpArgs& args = trace.op_args[trace.slices.args[node.slice]];
    EXPECT_EQ(trace.strings[args.input_dims], trace.strings[node.input_dims]);
    EXPECT_EQ(trace.strings[args.input_types], trace.strings[node.input_types]);
    with_shapes += args.input_dims != kEmptyString ? 1 : 0;
  }
  EXPECT_EQ(with_shapes, 259u);
  EXPECT_EQ(trace.facts.notes.at("execution_trace_joined"), "259");
  EXPECT_EQ(trace.other_paths.size(), 1u);
  EXPECT_EQ(trace.traits.size(), trace.strings.size());

  ASSERT_EQ(rows.tensors.size(), 264u);
  EXPECT_EQ(std::ranges::count(rows.tensors, kNoRow, &TensorUse::writer), 42);
  // aten::addmm, node 17: a bias from before, the output of aten::normal_, the view of a weight.
  std::vector<std::string> writers;
  for (const TensorUse& use : rows.tensors) {
    if (rows.nodes[use.node].id != 17) continue;
    writers.push_back(
        use.writer == kNoRow ? "-" : std::string(trace.strings[rows.nodes[use.writer].name]));
  }
  EXPECT_THAT(writers, testing::ElementsAre("-", "aten::normal_", "aten::as_strided"));
}

constexpr std::string_view kProfile = R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":1,"dur":5,"args":{"External id":3,"Record function id":21}},
{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":7,"tid":7,"ts":8,"dur":5,"args":{"External id":4,"Record function id":22}}
]})";
// The members of 2023: everything on the node itself.
constexpr std::string_view kOld = R"json({"schema":"1.0.1","pid":7,"time":"x","start_ts":1,"nodes":[
{"name":"aten::mm","id":5,"rf_id":21,"parent":2,"inputs":[[1,2,0,6,4,"cpu"],[3,4,0,8,2,"cpu"]],
 "input_shapes":[[2, 3],[3, 4]],"input_types":["Tensor(float)","Tensor(c10::Half)"],
 "outputs":[[6,7,0,8,4,"cpu"]],"output_shapes":[[2,4]],"output_types":["Tensor(float)"]},
{"name":"aten::sigmoid","id":9,"rf_id":22,"parent":2,"inputs":[[6,7,0,8,4,"cpu"]],
 "input_shapes":[[2,4]],"input_types":["Tensor(float)"],"outputs":[],"output_shapes":[],"output_types":[]}
],"finish_ts":2})json";

void Write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<long>(text.size()));
}

TEST(ExecutionTrace, ShapesOfAProfileWithoutThem) {
  const TempDir folder;
  Write(folder / "p.json", kProfile);
  Write(folder / "e.json", kOld);
  const Joined joined = Join({folder / "p.json", folder / "e.json"});
  const Trace& trace = joined.profile.traces.at(0);
  EXPECT_TRUE(trace.facts.has_shapes);
  const ExecutionRows& rows = joined.rows.at(0);
  ASSERT_EQ(rows.nodes.size(), 2u);
  ASSERT_NE(rows.nodes[0].slice, kNoRow);
  // The same id under another name is another run.
  EXPECT_EQ(rows.nodes[1].slice, kNoRow);
  const OpArgs& args = trace.op_args[trace.slices.args[rows.nodes[0].slice]];
  EXPECT_EQ(trace.strings[args.input_dims], "[[2,3],[3,4]]");
  EXPECT_EQ(trace.strings[args.input_types], R"(["float","c10::Half"])");
  ASSERT_EQ(rows.tensors.size(), 3u);
  EXPECT_EQ(rows.tensors[0].bytes, 24);
  EXPECT_EQ(rows.tensors[1].bytes, 16);
  EXPECT_EQ(rows.tensors[2].writer, 0u);
}

TEST(ExecutionTrace, OneThatFitsNoProfileIsNamed) {
  const TempDir folder;
  Write(folder / "p.json",
        R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]})");
  Write(folder / "e.json", kOld);
  const Joined joined = Join({folder / "p.json", folder / "e.json"});
  EXPECT_TRUE(joined.rows.at(0).nodes.empty());
  const Diagnostics& diagnostics = joined.profile.diagnostics.at(0);
  ASSERT_EQ(diagnostics.CountOf(Diagnostic::kFileSkipped), 1u);
  EXPECT_THAT(InEnglish(diagnostics.entries().back().examples.at(0).text),
              HasSubstr("No op of the profile has the id"));
}

TEST(ExecutionTrace, AloneItSaysWhatToGiveWithIt) {
  TaskPool pool(1);
  std::vector<std::string> executions;
  OpenOptions options;
  options.executions = &executions;
  const Result<Profile> profile =
      OpenProfile({TestData("h200/et_linked.execution_trace.json.zst")}, options, pool);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(InEnglish(profile.error().next_step), HasSubstr("together with the trace"));
}

TEST(ExecutionTrace, CutAnywhereItGivesWhatIsWhole) {
  size_t most = 0;
  for (size_t size = 0; size <= kOld.size(); ++size) {
    const Result<ExecutionTrace> trace = ParseExecutionTrace(kOld.substr(0, size), "e.json");
    if (!trace) continue;
    EXPECT_GE(trace->nodes.size(), most);
    most = trace->nodes.size();
  }
  EXPECT_EQ(most, 2u);
}

TEST(ExecutionTrace, BytesThatChangeNeverCrash) {
  for (size_t at = 0; at < kOld.size(); ++at) {
    for (const char other : {'"', '[', '}', '\\', '\0', '9'}) {
      std::string changed(kOld);
      changed[at] = other;
      const Result<ExecutionTrace> trace = ParseExecutionTrace(changed, "e.json");
      EXPECT_TRUE(trace || !trace.error().sentence.empty());
    }
  }
}

}  // namespace
}  // namespace stepscope
