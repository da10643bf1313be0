#include "read/compile_log/compile_log.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/data.h"
#include "io/byte_source.h"
#include "read/file_type.h"

namespace stepscope {
namespace {

std::string Line(const std::string& json) {
  return "V1206 15:18:15.925000 1500233 torch/_dynamo/utils.py:1288] " + json + "\n";
}

// Two functions: the first is compiled twice because a size changed, the second breaks.
std::string Small() {
  return Line(R"({"str": ["/home/somebody/train.py", 0]})") +
         Line(
             R"({"compilation_metrics": {"co_name": "f", "co_filename": "/home/somebody/train.py",)"
             R"( "co_firstlineno": 7, "graph_op_count": 3,)"
             R"( "dynamo_cumulative_compile_time_us": 1500000,)"
             R"( "inductor_cumulative_compile_time_us": 600000}, "frame_id": 0,)"
             R"( "frame_compile_id": 0})") +
         Line(R"({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "frame_id": 0,)"
              R"( "frame_compile_id": 1, "has_payload": "0"})") +
         "\t[\"0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5\"]\n" +
         Line(
             R"({"compilation_metrics": {"co_name": "f", "co_filename": "/home/somebody/train.py",)"
             R"( "co_firstlineno": 7, "dynamo_cumulative_compile_time_us": 500000}, "frame_id": 0,)"
             R"( "frame_compile_id": 1})") +
         Line(R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"},)"
              R"( "frame_id": 1, "frame_compile_id": 0, "has_payload": "0"})") +
         "\tGraph break in user code at /home/somebody/model.py:42\n"
         "\tReason: Unsupported: Tensor.item in /home/somebody/model.py\n"
         "\tUser code traceback:\n" +
         Line(R"({"artifact": {"name": "fx_graph_cache_miss", "encoding": "json"}, "frame_id": 0,)"
              R"( "frame_compile_id": 0})") +
         "a line of something else\n" + Line(R"({"compilation_metrics": {"co_name":)");
}

TEST(CompileLog, CompilationsRecompilesAndBreaks) {
  EXPECT_EQ(FileTypeOf(Small()), FileType::kTorchTraceLog);
  const CompileLog log = ReadCompileLog(Small());
  ASSERT_EQ(log.compilations.size(), 2u);
  EXPECT_EQ(log.total().ns, 2'000'000'000);
  EXPECT_EQ(log.compilations[0].inductor.ns, 600'000'000);
  EXPECT_EQ(log.compilations[0].place.file, "train.py");
  EXPECT_EQ(log.compilations[0].place.line, 7);
  EXPECT_EQ(log.compilations[1].id, "0/1");

  ASSERT_EQ(log.recompiles.size(), 1u);
  EXPECT_EQ(log.recompiles[0].text, "tensor 'x' size mismatch at index 0. expected 4, actual 5");
  EXPECT_EQ(log.recompiles[0].function, "f");
  EXPECT_EQ(log.recompiles[0].time.ns, 500'000'000);

  ASSERT_EQ(log.graph_breaks.size(), 1u);
  EXPECT_EQ(log.graph_breaks[0].place.file, "model.py");
  EXPECT_EQ(log.graph_breaks[0].place.line, 42);
  EXPECT_EQ(log.graph_breaks[0].text, "Unsupported: Tensor.item in model.py");
  EXPECT_EQ(log.cache_misses, 1u);
  EXPECT_EQ(log.damaged, 2u);
}

TEST(CompileLog, ACutLogIsAPart) {
  const std::string text = Small();
  uint64_t last = 0;
  for (size_t size = 0; size <= text.size(); ++size) {
    const CompileLog log = ReadCompileLog(std::string_view(text).substr(0, size));
    EXPECT_GE(log.records, last);
    last = log.records;
  }
}

std::string TextOf(const std::string& path) {
  const Result<FileBytes> bytes = ReadWhole(path);
  EXPECT_TRUE(bytes);
  return bytes ? std::string(bytes->bytes().data(), bytes->bytes().size()) : std::string();
}

// The numbers of tlparse's own examples, as its files have them.
TEST(CompileLogAcceptance, TlparseSimple) {
  const CompileLog log = ReadCompileLog(TextOf(AcceptanceData("torch_trace/tlparse_simple.log")));
  ASSERT_EQ(log.compilations.size(), 1u);
  EXPECT_EQ(log.compilations[0].time.ns, 1'659'332'000);
  EXPECT_EQ(log.compilations[0].autograd.ns, 1'307'090'000);
  EXPECT_EQ(log.compilations[0].inductor.ns, 706'575'000);
  EXPECT_EQ(log.compilations[0].code_generation.ns, 529'174'000);
  EXPECT_EQ(log.cache_misses, 1u);
  EXPECT_EQ(log.damaged, 0u);
}

TEST(CompileLogAcceptance, TlparseGraphBreaks) {
  const CompileLog log =
      ReadCompileLog(TextOf(AcceptanceData("torch_trace/tlparse_comp_metrics.log")));
  ASSERT_EQ(log.compilations.size(), 3u);
  ASSERT_EQ(log.graph_breaks.size(), 2u);
  EXPECT_EQ(log.graph_breaks[0].place.line, 9551);
  EXPECT_EQ(log.graph_breaks[1].place.line, 9553);
  EXPECT_EQ(log.graph_breaks[0].text, "'skip function graph_break in file decorators.py'");
}

}  // namespace
}  // namespace stepscope
