// Readers of models on files that are cut or changed: never a crash, never silence.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "base/testing/data.h"
#include "read/graph_def/graph_def.h"
#include "read/protobuf/wire_writer.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "tools/graph/onnx/onnx_model.h"
#include "tools/tfprof/checkpoint/checkpoint.h"
#include "tools/tfprof/op_log/op_log.h"
#include "tools/tfprof/profile_proto/profile_proto.h"

namespace stepscope {
namespace {

std::string Tfprof(const std::string& path) { return SourceFile("tests/tfprof/" + path); }

constexpr std::string_view kTextGraph = R"(
# a comment
node {
  name: "x"
  op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } }
}
node {
  name: "y" op: 'Re' "lu" input: ["x", "^z"]
  attr < key: "T" value: { type: DT_FLOAT } >
  unknown_field { a: [1, 2.5e3, "s"] }
}
versions { producer: 26 }
)";

std::string ContentOf(const std::string& path) {
  const auto bytes = ReadWhole(path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(bytes->bytes().begin(), bytes->bytes().end()) : "";
}

FileBytes BytesOf(std::string_view text) {
  auto owner = std::make_shared<const std::string>(text);
  return FileBytes({owner->data(), owner->size()}, owner, std::nullopt);
}

// A small ONNX model: y = Gemm(x, w).
std::string OnnxModel() {
  const auto tensor_type = [](std::initializer_list<int64_t> dims) {
    std::string shape;
    for (const int64_t dim : dims) {
      std::string entry;
      WireWriter(entry).Signed(1, dim);
      WireWriter(shape).Bytes(1, entry);
    }
    std::string tensor;
    WireWriter(tensor).Varint(1, 1);
    WireWriter(tensor).Bytes(2, shape);
    std::string type;
    WireWriter(type).Bytes(1, tensor);
    return type;
  };
  const auto value = [&](std::string_view name, std::initializer_list<int64_t> dims) {
    std::string out;
    WireWriter(out).Bytes(1, name);
    WireWriter(out).Bytes(2, tensor_type(dims));
    return out;
  };
  std::string node;
  WireWriter(node).Bytes(1, "x");
  WireWriter(node).Bytes(1, "w");
  WireWriter(node).Bytes(2, "y");
  WireWriter(node).Bytes(4, "Gemm");
  std::string weight;
  WireWriter(weight).Signed(1, 3);
  WireWriter(weight).Signed(1, 5);
  WireWriter(weight).Varint(2, 1);
  WireWriter(weight).Bytes(8, "w");
  std::string graph;
  WireWriter(graph).Bytes(1, node);
  WireWriter(graph).Bytes(5, weight);
  WireWriter(graph).Bytes(11, value("x", {2, 3}));
  WireWriter(graph).Bytes(12, value("y", {2, 5}));
  std::string model;
  WireWriter(model).Varint(1, 8);
  WireWriter(model).Bytes(2, "test");
  WireWriter(model).Bytes(7, graph);
  return model;
}

// Reads the bytes and returns whether the reader reported anything.
using Reader = std::function<bool(std::string_view bytes)>;

template <typename Parse>
Reader ReaderOf(Parse parse) {
  return [parse](std::string_view bytes) {
    Diagnostics diagnostics;
    const auto result = parse(BytesOf(bytes), "file", diagnostics);
    return !result || !diagnostics.entries().empty();
  };
}

struct Format {
  const char* name;
  std::string good;
  Reader reader;
};

std::vector<Format> Formats() {
  std::vector<Format> formats;
  formats.push_back({"GraphDef", ContentOf(Tfprof("conv/graph.pb.gz")), ReaderOf(ParseGraphDef)});
  formats.push_back(
      {"RunMetadata", ContentOf(Tfprof("conv/run_meta_0.pb.gz")), ReaderOf(ParseRunMetadata)});
  formats.push_back({"OpLog", ContentOf(Tfprof("conv/op_log.gz")), ReaderOf(ParseOpLog)});
  formats.push_back(
      {"ProfileProto", ContentOf(Tfprof("conv/profile.pb.gz")), ReaderOf(ParseProfileProto)});
  formats.push_back({"ONNX", OnnxModel(), ReaderOf(ParseOnnxModel)});
  formats.push_back(
      {"checkpoint index", ContentOf(Tfprof("ckpt.index")), [](std::string_view bytes) {
         Diagnostics diagnostics;
         const auto result = ParseCheckpointIndex(bytes, "ckpt", diagnostics);
         return !result || !diagnostics.entries().empty();
       }});
  return formats;
}

TEST(BadModelFiles, GoodOnesAreQuiet) {
  for (const Format& format : Formats()) EXPECT_FALSE(format.reader(format.good)) << format.name;
}

TEST(BadModelFiles, CutsAreSaid) {
  for (const Format& format : Formats()) {
    // A cut between two top-level messages leaves a whole file; every other cut must be reported.
    size_t silent = 0;
    size_t cuts = 0;
    const size_t step = std::max<size_t>(1, format.good.size() / 500);
    for (size_t size = 1; size < format.good.size(); size += step) {
      ++cuts;
      silent += format.reader(std::string_view(format.good).substr(0, size)) ? 0 : 1;
    }
    EXPECT_LE(silent * 20, cuts) << format.name;
  }
}

TEST(BadModelFiles, ChangesNeverCrash) {
  std::mt19937 random(20261115);
  for (const Format& format : Formats()) {
    for (int round = 0; round < 200; ++round) {
      std::string changed = format.good;
      const int changes = 1 + static_cast<int>(random() % 8);
      for (int i = 0; i < changes; ++i) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      format.reader(changed);
    }
  }
}

// A block's checksum catches any change to it.
TEST(BadModelFiles, ChangedCheckpointIndexIsFound) {
  const std::string good = ContentOf(Tfprof("ckpt.index"));
  for (size_t i = 0; i + 48 < good.size(); ++i) {
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    Diagnostics diagnostics;
    const auto result = ParseCheckpointIndex(changed, "ckpt", diagnostics);
    // The meta-index block is not read.
    if (result) continue;
    EXPECT_EQ(result.error().code, ErrorCode::kDamaged) << i;
  }
}

TEST(TextGraph, ReadsAllForms) {
  Diagnostics diagnostics;
  const auto graph = ParseGraphDef(BytesOf(kTextGraph), "graph.pbtxt", diagnostics);
  ASSERT_TRUE(graph) << InEnglish(graph.error().sentence);
  ASSERT_EQ(graph->nodes.size(), 2u);
  EXPECT_EQ(graph->nodes[0].Shape("shape"), (TensorShape{{-1, 3}, false}));
  EXPECT_EQ(graph->nodes[1].op, "Relu");
  ASSERT_EQ(graph->nodes[1].inputs.size(), 2u);
  EXPECT_EQ(graph->nodes[1].inputs[1], "^z");
  EXPECT_EQ(graph->nodes[1].Type("T"), DataType::kFloat);
  EXPECT_EQ(graph->producer, 26);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kUnknownFields), 1u);
}

TEST(TextGraph, FaultsNameLineAndColumn) {
  const struct {
    const char* text;
    const char* where;
  } faults[] = {
      {"node {\n  name: x\n}", "line 2, column 9"},
      {"node {\n  name \"x\"\n}", "line 2, column 8"},
      {"node {\n  name: \"x\n}", "line 2, column 9"},
      {"node {", "line 1, column 7"},
      {"node { attr { key: \"T\" value { type: DT_NOTHING } } }", "column 38"},
      {"node }", "line 1, column 6"},
      {"node { name: \"\\q\" }", "line 1, column 14"},
  };
  for (const auto& fault : faults) {
    Diagnostics diagnostics;
    const auto graph = ParseGraphDef(BytesOf(fault.text), "graph.pbtxt", diagnostics);
    ASSERT_FALSE(graph) << fault.text;
    EXPECT_NE(InEnglish(graph.error().sentence).find(fault.where), std::string::npos)
        << InEnglish(graph.error().sentence);
  }
}

TEST(TextGraph, CutsAndChangesNeverCrash) {
  const Reader reader = ReaderOf(ParseGraphDef);
  for (size_t size = 0; size < kTextGraph.size(); ++size) reader(kTextGraph.substr(0, size));
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string changed(kTextGraph);
    changed[random() % changed.size()] = static_cast<char>(' ' + random() % 95);
    reader(changed);
  }
  // Nested as deep as the text is long.
  std::string deep = "node { unknown ";
  for (int i = 0; i < 100'000; ++i) deep += "{ a ";
  EXPECT_TRUE(reader(deep));
}

TEST(Onnx, ModelAsGraph) {
  Diagnostics diagnostics;
  const auto graph = ParseOnnxModel(BytesOf(OnnxModel()), "model.onnx", diagnostics);
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->nodes.size(), 3u);
  EXPECT_EQ(graph->nodes[0].op, "Initializer");
  EXPECT_EQ(graph->nodes[1].op, "Placeholder");
  EXPECT_EQ(graph->nodes[2].op, "Gemm");
  EXPECT_EQ(graph->nodes[2].name, "y");
  EXPECT_EQ(graph->nodes[2].inputs, (std::vector<std::string_view>{"x", "w"}));
  EXPECT_EQ(graph->nodes[2].Shapes("_output_shapes")->at(0), (TensorShape{{2, 5}, false}));
}

}  // namespace
}  // namespace stepscope
