#include "tools/nan/nan_hunt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "io/byte_source.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// One folder a tensor debug mode.
std::string Dump(const std::string& mode) { return TestData("tf/tfdbg/" + mode); }

JsonValue AnswersOf(const std::string& mode) {
  const auto file = ReadWhole(Dump(mode) + "/answers.json");
  EXPECT_TRUE(file);
  auto json = ParseJson({file->bytes().data(), file->bytes().size()});
  EXPECT_TRUE(json);
  return std::move(*json);
}

void ExpectStack(const DebugDump& dump, const std::vector<FrameIndex>& stack,
                 const JsonValue& answers, const JsonValue& which) {
  const JsonValue& frames = answers["stacks"][static_cast<size_t>(which.AsInt())];
  ASSERT_EQ(stack.size(), frames.items().size());
  for (size_t i = 0; i < stack.size(); ++i) {
    const JsonValue& theirs = answers["frames"][static_cast<size_t>(frames[i].AsInt())];
    const DebugFrame& ours = dump.frames[stack[i]];
    EXPECT_EQ(ours.file, theirs[size_t{0}].text());
    EXPECT_EQ(ours.line, theirs[1].AsInt());
    EXPECT_EQ(ours.function, theirs[2].text());
  }
}

void ExpectHealth(const TensorHealth& ours, const JsonValue& counts) {
  if (!counts["any_inf_or_nan"].is_null()) {
    EXPECT_EQ(ours.bad, counts["any_inf_or_nan"].AsInt() != 0);
    EXPECT_FALSE(ours.counts);
  } else if (!counts["neg_inf"].is_null()) {
    ASSERT_TRUE(ours.counts);
    EXPECT_EQ(ours.counts->nan, static_cast<uint64_t>(counts["nan"].AsInt()));
    EXPECT_EQ(ours.counts->pos_inf, static_cast<uint64_t>(counts["pos_inf"].AsInt()));
    EXPECT_EQ(ours.counts->neg_inf, static_cast<uint64_t>(counts["neg_inf"].AsInt()));
    EXPECT_EQ(ours.counts->size, static_cast<uint64_t>(counts["size"].AsInt()));
  }
}

class EveryMode : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tfdbg, EveryMode,
                         testing::Values("NO_TENSOR", "CURT_HEALTH", "CONCISE_HEALTH",
                                         "FULL_HEALTH", "SHAPE", "FULL_TENSOR"));

TEST_P(EveryMode, ReadsWhatTensorFlowReads) {
  const auto dump = ReadDebugDump(Dump(GetParam()));
  ASSERT_TRUE(dump);
  const JsonValue answers = AnswersOf(GetParam());
  EXPECT_TRUE(dump->damage.empty());
  EXPECT_EQ(dump->tensorflow_version, answers["tensorflow_version"].text());
  EXPECT_EQ(dump->run_id, answers["run_id"].text());
  ASSERT_EQ(dump->source_files.size(), answers["source_files"].items().size());
  ASSERT_EQ(dump->executions.size(), answers["executions"].items().size());
  for (size_t i = 0; i < dump->executions.size(); ++i) {
    const DebugExecution& ours = dump->executions[i];
    const JsonValue& theirs = answers["executions"][i];
    EXPECT_EQ(ours.op_type, theirs["op_type"].text());
    EXPECT_EQ(ours.wall_time, theirs["wall_time"].AsDouble());
    EXPECT_EQ(ours.graph_id, theirs["graph_id"].text());
    EXPECT_EQ(static_cast<int64_t>(ours.mode), theirs["mode"].AsInt());
    ASSERT_EQ(ours.outputs.size(), theirs["output_tensor_ids"].items().size());
    for (size_t t = 0; t < ours.tensors.size(); ++t) {
      ExpectHealth(ours.tensors[t], theirs["counts"][t]);
    }
    ExpectStack(*dump, ours.stack, answers, theirs["stack"]);
  }
  ASSERT_EQ(dump->traces.size(), answers["graph_execution_traces"].items().size());
  for (size_t i = 0; i < dump->traces.size(); ++i) {
    const DebugTrace& ours = dump->traces[i];
    const JsonValue& theirs = answers["graph_execution_traces"][i];
    EXPECT_EQ(ours.op_name, theirs["op_name"].text());
    EXPECT_EQ(ours.slot, theirs["output_slot"].AsInt());
    EXPECT_EQ(ours.graph_id, theirs["graph_ids"].items().back().text());
    EXPECT_EQ(ours.device, theirs["device"].text());
    ExpectHealth(ours.health, theirs["counts"]);
  }
  ASSERT_EQ(dump->graphs.size(), answers["graphs"].members().size());
  for (const auto& [id, theirs] : answers["graphs"].members()) {
    const DebugGraph* ours = dump->FindGraph(id);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->name, theirs["name"].text());
    EXPECT_EQ(ours->outer_id, theirs["outer"].text());
    ASSERT_EQ(ours->ops.size(), theirs["ops"].members().size());
    for (const auto& [name, op] : theirs["ops"].members()) {
      const DebugOp* found = ours->Find(name);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->type, op["op_type"].text());
      ASSERT_EQ(found->inputs.size(), op["inputs"].items().size());
      for (size_t i = 0; i < found->inputs.size(); ++i) {
        EXPECT_EQ(found->inputs[i], op["inputs"][i].text());
      }
      ExpectStack(*dump, found->stack, answers, op["stack"]);
    }
  }
}

TEST_P(EveryMode, FindsWhatTensorFlowFinds) {
  const auto dump = ReadDebugDump(Dump(GetParam()));
  ASSERT_TRUE(dump);
  const JsonValue answers = AnswersOf(GetParam());
  const NanHunt hunt = HuntNan(*dump);
  const std::string mode = GetParam();
  EXPECT_EQ(hunt.can_tell, mode != "NO_TENSOR" && mode != "SHAPE");
  if (mode == "FULL_TENSOR") return;  // TensorFlow's monitor hangs on it; see below
  std::vector<size_t> executions;
  for (const JsonValue& index : answers["bad_executions"].items()) {
    executions.push_back(static_cast<size_t>(index.AsInt()));
  }
  EXPECT_EQ(hunt.eager_bad, executions);
  std::vector<size_t> traces;
  for (const BadOutput& bad : hunt.all) {
    if (bad.where == BadOutput::Where::kGraph) traces.push_back(bad.index);
  }
  ASSERT_EQ(traces.size(), answers["bad_traces"].items().size());
  for (size_t i = 0; i < traces.size(); ++i) {
    EXPECT_EQ(traces[i], static_cast<size_t>(answers["bad_traces"][i].AsInt()));
  }
  const auto& first = answers["first_bad_op_by_graph"].members();
  ASSERT_EQ(hunt.first_by_graph.size(), first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    const BadOutput& ours = hunt.all[hunt.first_by_graph[i]];
    EXPECT_EQ(ours.graph_id, first[i].first);
    EXPECT_EQ(ours.index, static_cast<size_t>(first[i].second["trace"].AsInt()));
    EXPECT_EQ(ours.op, first[i].second["op_name"].text());
    EXPECT_EQ(ours.op_type, first[i].second["op_type"].text());
    ExpectHealth(ours.health, first[i].second["counts"]);
  }
}

// Functions and loop bodies carry a number that differs from run to run.
std::string WithoutNumber(std::string name) {
  name.erase(name.find_last_not_of("0123456789") + 1);
  return name;
}

std::vector<std::string> SeenIn(const NanHunt& hunt) {
  std::vector<std::string> seen;
  for (const BadOutput& bad : hunt.all) {
    const HealthCounts counts = bad.health.counts.value_or(HealthCounts());
    std::ostringstream row;
    row << WithoutNumber(bad.graph_name) << ' ' << WithoutNumber(bad.op) << ' '
        << WithoutNumber(bad.op_type) << ' ' << bad.inputs_finite << ' ' << counts.nan << ' '
        << counts.pos_inf << ' ' << counts.neg_inf << ' ' << counts.size;
    seen.push_back(row.str());
  }
  return seen;
}

TEST(HuntNan, FullTensorTellsWhatFullHealthTells) {
  const auto health = ReadDebugDump(Dump("FULL_HEALTH"));
  const auto tensor = ReadDebugDump(Dump("FULL_TENSOR"));
  ASSERT_TRUE(health && tensor);
  EXPECT_EQ(SeenIn(HuntNan(*health)), SeenIn(HuntNan(*tensor)));
}

TEST(HuntNan, SourceIsTheFirstWithFiniteInputs) {
  auto dump = ReadDebugDump(Dump("FULL_HEALTH"));
  ASSERT_TRUE(dump);
  const NanHunt hunt = HuntNan(*dump);
  ASSERT_TRUE(hunt.source);
  EXPECT_EQ(hunt.source->op_type, "Log");
  EXPECT_EQ(hunt.source->where, BadOutput::Where::kEager);
  EXPECT_EQ(hunt.source->health.counts->neg_inf, 1u);
  // Without the eager part, the source is inside of train_step, and its product and sum follow it.
  dump->executions.erase(dump->executions.begin(), dump->executions.begin() + 8);
  const NanHunt graph = HuntNan(*dump);
  ASSERT_TRUE(graph.source);
  EXPECT_EQ(graph.source->op, "log_of_zero");
  EXPECT_EQ(graph.source->health.counts->neg_inf, 8u);
  ASSERT_GE(graph.spread.size(), 3u);
  EXPECT_EQ(graph.all[graph.spread[0]].op, "minus_inf_times_zero");
  EXPECT_EQ(graph.all[graph.spread[1]].op, "total");
  EXPECT_EQ(graph.all[graph.spread[2]].where, BadOutput::Where::kEager);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].op, "all_zero");
  EXPECT_EQ(graph.consumers.at(0).op, "minus_inf_times_zero");
}

void Write(const fs::path& path, std::string_view bytes) {
  std::filesystem::remove(path);  // a file that is cut and written again goes to the disk at once
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}
size_t RecordsIn(const DebugDump& dump) {
  size_t records = dump.source_files.size() + dump.frames.size() + dump.graphs.size() +
                   dump.executions.size() + dump.traces.size();
  for (const DebugGraph& graph : dump.graphs) records += graph.ops.size();
  return records;
}

DebugGraph GraphCalled(const std::string& id, const std::string& outer, std::vector<DebugOp> ops) {
  DebugGraph graph;
  graph.id = graph.name = id;
  graph.outer_id = outer;
  graph.ops = std::move(ops);
  for (size_t i = 0; i < graph.ops.size(); ++i) graph.index[graph.ops[i].name] = i;
  return graph;
}

DebugOp OpCalled(const std::string& name, const std::string& type,
                 std::vector<std::string> inputs = {}) {
  DebugOp op;
  op.name = name;
  op.type = type;
  op.inputs = std::move(inputs);
  return op;
}

// train_step calls middle, which calls inner, whose Log makes a NaN in the third step. The dump
// does not record calls of functions inside of graphs. A helper runs twice before each step.
TEST(HuntNan, FollowsAValueOutOfNestedFunctions) {
  DebugDump dump;
  dump.graphs.push_back(GraphCalled("inner", "middle", {OpCalled("Log", "Log", {"x:0"})}));
  dump.graphs.push_back(
      GraphCalled("middle", "train_step", {OpCalled("add", "AddV2", {"PartitionedCall:0"})}));
  dump.graphs.push_back(GraphCalled(
      "train_step", "",
      {OpCalled("cond", "If", {"flag:0"}), OpCalled("cond/Identity", "Identity", {"cond:0"}),
       OpCalled("mul", "Mul", {"cond/Identity:0"})}));
  dump.graphs.push_back(GraphCalled("helper", "", {OpCalled("add", "AddV2")}));
  double time = 0;
  for (int step = 0; step < 4; ++step) {
    for (const char* called : {"helper", "helper", "train_step"}) {
      const bool bad = step == 2 && std::string_view(called) == "train_step";
      const std::pair<const char*, const char*> ops[] = {
          {"inner", "Log"}, {"middle", "add"}, {"train_step", "mul"}};
      for (const auto& [graph, op] : ops) {
        if (!bad) continue;
        DebugTrace trace;
        trace.wall_time = time += 1;
        trace.graph_id = graph;
        trace.op_name = op;
        trace.health.known = trace.health.bad = true;
        dump.traces.push_back(trace);
      }
      DebugExecution execution;
      execution.wall_time = time += 1;
      execution.op_type = execution.graph_id = called;
      dump.executions.push_back(execution);
    }
  }
  const NanHunt hunt = HuntNan(dump);
  ASSERT_TRUE(hunt.source);
  EXPECT_EQ(hunt.source->op, "Log");
  ASSERT_EQ(hunt.all.size(), 3);
  EXPECT_TRUE(hunt.all[0].inputs_finite);
  EXPECT_FALSE(hunt.all[1].inputs_finite);
  EXPECT_FALSE(hunt.all[2].inputs_finite);
  EXPECT_EQ(hunt.spread, (std::vector<size_t>{1, 2}));
  // The third training step, after two others; it was the ninth call.
  EXPECT_EQ(hunt.all[0].step, 2);
  EXPECT_EQ(hunt.all[0].execution, 8);
}

TEST(HuntNan, SurvivesEveryCut) {
  const TempDir folder;
  const fs::path copy = folder / "cut";
  for (const auto& entry : fs::directory_iterator(Dump("FULL_TENSOR"))) {
    if (entry.path().extension() == ".json") continue;
    fs::remove_all(copy);
    fs::create_directory(copy);
    const fs::path file = copy / entry.path().filename();
    fs::copy(entry.path(), file);
    const size_t size = fs::file_size(file);
    const size_t stride = size > 20000 ? 29 : 1;
    size_t before = SIZE_MAX;
    for (size_t cut = size / stride * stride; cut > 0; cut -= stride) {
      fs::resize_file(file, cut);
      const auto dump = ReadDebugDump(copy);
      ASSERT_TRUE(dump);
      ASSERT_LE(RecordsIn(*dump), before) << cut;
      before = RecordsIn(*dump);
      HuntNan(*dump);
    }
    EXPECT_EQ(before, 0u);
  }
}

TEST(HuntNan, SurvivesThousandMutations) {
  const TempDir folder;
  const fs::path copy = folder / "mutated";
  std::mt19937 random(5);
  for (const char* mode : {"FULL_TENSOR", "CURT_HEALTH"}) {
    fs::remove_all(copy);
    fs::copy(Dump(mode), copy);
    std::vector<std::pair<fs::path, std::string>> files;
    for (const auto& entry : fs::directory_iterator(copy)) {
      files.emplace_back(entry.path(), Read(entry.path()));
    }
    for (int round = 0; round < 500; ++round) {
      const auto& [path, bytes] = files[random() % files.size()];
      std::string bad = bytes;
      bad[random() % bad.size()] = static_cast<char>(random());
      Write(path, bad);
      const auto dump = ReadDebugDump(copy);
      ASSERT_TRUE(dump);
      ASSERT_LE(dump->damage.size(), 1u);
      HuntNan(*dump);
      Write(path, bytes);
    }
  }
}

}  // namespace
}  // namespace stepscope
