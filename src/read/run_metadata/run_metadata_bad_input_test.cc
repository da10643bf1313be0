#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/testing/data.h"
#include "read/open.h"
#include "read/protobuf/wire_writer.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "read/run_metadata/run_metadata_trace.h"

namespace stepscope {
namespace {

Result<RunMetadata> Parse(const std::string& bytes, Diagnostics& diagnostics) {
  const FileBytes file({bytes.data(), bytes.size()}, nullptr, std::nullopt);
  return ParseRunMetadata(file, "run_meta.pb", diagnostics);
}

// Rows of the file that are neither spans nor counted in a diagnostic; the step is ours.
int64_t Lost(const std::string& bytes) {
  Diagnostics diagnostics;
  const Result<RunMetadata> run = Parse(bytes, diagnostics);
  if (!run) {
    EXPECT_FALSE(run.error().sentence.empty());
    return 0;
  }
  TaskPool pool(1);
  const Trace trace = BuildRunMetadataTrace({&*run, 1}, nullptr, "run_meta.pb", pool, diagnostics);
  uint64_t steps = 0;
  for (const Kind kind : trace.slices.kind) steps += kind == Kind::kStep ? 1 : 0;
  return static_cast<int64_t>(trace.events.in_file) -
         static_cast<int64_t>(trace.events.diagnosed + trace.slices.size() - steps);
}

TEST(RunMetadataBadInput, AThousandMutations) {
  std::mt19937 random(20261116);
  for (const std::string name : {"tf/twodev/run_meta_0.pb", "tf/conv/run_meta_0.pb"}) {
    const Result<FileBytes> file = ReadWhole(TestData(name));
    ASSERT_TRUE(file);
    const std::string whole(file->bytes().data(), file->bytes().size());
    EXPECT_EQ(Lost(whole), 0) << name;
    for (int round = 0; round < 500; ++round) {
      std::string bytes = whole;
      if (round % 5 == 0) bytes.resize(1 + random() % (bytes.size() - 1));
      for (uint32_t i = 0; i < 1 + random() % 8; ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      EXPECT_EQ(Lost(bytes), 0) << name << " round " << round;
    }
  }
}

TEST(RunMetadataBadInput, ElevenByteVarintsLengthsPastTheEndAndBombs) {
  const std::string eleven(11, '\xff');
  for (const std::string& bytes : {eleven, "\x0a" + eleven, std::string("\x0a\x7f\x0a\x05/job:")}) {
    Diagnostics diagnostics;
    const Result<RunMetadata> run = Parse(bytes, diagnostics);
    EXPECT_TRUE(!run || !diagnostics.entries().empty());
  }
  std::string bomb = "x";
  for (int depth = 0; depth < 3000; ++depth) {
    std::string outer;
    WireWriter(outer).Bytes(1, bomb);
    bomb = std::move(outer);
  }
  Diagnostics diagnostics;
  Parse(bomb, diagnostics);  // must come back
}

TEST(RunMetadataBadInput, AnXPlaneIsToldApart) {
  for (const std::string name : {"h200/jax_mlp.xplane.pb.zst", "tf/conv/graph.pb"}) {
    const Result<FileBytes> file = ReadWhole(TestData(name));
    ASSERT_TRUE(file);
    const std::string_view head(file->bytes().data(),
                                std::min(file->bytes().size(), kSniffedBytes));
    Diagnostics diagnostics;
    const Result<RunMetadata> run = ParseRunMetadata(*file, name, diagnostics);
    ASSERT_FALSE(run) << name;
    EXPECT_NE(InEnglish(run.error().sentence).find(NameOf(FileTypeOf(head))), std::string::npos)
        << InEnglish(run.error().sentence);
  }
}

TEST(RunMetadataBadInput, TextFaultsNameLineAndColumn) {
  Diagnostics diagnostics;
  const Result<RunMetadata> run = Parse(
      "step_stats {\n  dev_stats {\n    device: \"/cpu:0\"\n    node_stats { node_name: 12 }\n  "
      "}\n}\n",
      diagnostics);
  std::string said = run ? "" : InEnglish(run.error().sentence);
  for (const auto& entry : diagnostics.entries()) {
    for (const auto& example : entry.examples) said += " " + InEnglish(example.text);
  }
  EXPECT_NE(said.find("line 4"), std::string::npos) << said;
  EXPECT_NE(said.find("column"), std::string::npos) << said;
}

TEST(RunMetadataBadInput, CutTextGivesWhatStoodBefore) {
  const std::string text =
      "step_stats {\n  dev_stats {\n    device: \"/cpu:0\"\n    node_stats { node_name: \"a\" }\n"
      "    node_stats { node_name: \"b\" all_start_micros: 12";
  for (const size_t bytes : {text.size(), text.size() - 4, text.find("\"b\"") + 2}) {
    Diagnostics diagnostics;
    const Result<RunMetadata> run = Parse(text.substr(0, bytes), diagnostics);
    ASSERT_TRUE(run) << InEnglish(run.error().sentence);
    ASSERT_EQ(run->devices.size(), 1U);
    ASSERT_GE(run->devices[0].nodes.size(), 1U);
    EXPECT_EQ(run->devices[0].nodes[0].name, "a");
    EXPECT_EQ(diagnostics.CountOf(Diagnostic::kFileTruncated), 1U);
  }
}

}  // namespace
}  // namespace stepscope
