#include "ranks/flight_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

using ::testing::ElementsAre;

// A dump of rank r that entered so many all-reduces, the last of them not completed.
std::string DumpText(int64_t calls, const std::string& last = "nccl:all_reduce",
                     const std::string& sizes = "[[4, 2]]") {
  std::string text =
      R"({"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}},)"
      R"( "entries": [)";
  for (int64_t s = 1; s <= calls; ++s) {
    const bool end = s == calls;
    text += (s > 1 ? "," : "");
    text +=
        R"({"process_group": ["0", "default_pg"], "collective_seq_id": )" + std::to_string(s) +
        R"(, "p2p_seq_id": 0, "profiling_name": ")" + (end ? last : "nccl:all_reduce") +
        R"(", "input_sizes": )" + (end ? sizes : "[[4, 2]]") +
        R"(, "input_dtypes": ["Float"], "state": ")" + (end ? "scheduled" : "completed") +
        R"(", "is_p2p": false, "frames": [{"name": "step", "filename": "train.py", "line": 31}]})";
  }
  return text + "]}";
}

class FlightRecorder : public ::testing::Test {
 protected:
  void Write(int rank, const std::string& text) {
    const std::string path = folder_.path() + "/nccl_trace_rank_" + std::to_string(rank);
    std::ofstream(path, std::ios::binary) << text;
    Result<FlightDump> dump = ReadFlightDump(path);
    ASSERT_TRUE(dump) << InEnglish(dump.error().sentence);
    EXPECT_EQ(dump->rank, rank);
    dumps_.push_back(std::move(*dump));
  }

  TempDir folder_;
  std::vector<FlightDump> dumps_;
};

TEST_F(FlightRecorder, TheRankThatDidNotEnterIsNamedWithItsStack) {
  Write(0, DumpText(5));
  Write(1, DumpText(3));
  Write(2, DumpText(5));
  const std::vector<FlightFinding> findings = AnalyzeFlight(dumps_);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, FlightFindingKind::kMissing);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_EQ(findings[0].sequence, 4);
  EXPECT_EQ(findings[0].call, "nccl:all_reduce");
  EXPECT_THAT(findings[0].stack, ElementsAre("step (train.py:31)"));
}

TEST_F(FlightRecorder, DifferentCallsAndSizesAreShown) {
  Write(0, DumpText(4));
  Write(1, DumpText(4, "nccl:all_gather"));
  Write(2, DumpText(4));
  std::vector<FlightFinding> findings = AnalyzeFlight(dumps_);
  EXPECT_EQ(findings[0].kind, FlightFindingKind::kTypeDiffers);
  EXPECT_THAT(findings[0].ranks, ElementsAre(1));
  EXPECT_EQ(findings[0].sequence, 4);
  dumps_.clear();
  Write(0, DumpText(4));
  Write(1, DumpText(4));
  Write(2, DumpText(4, "nccl:all_reduce", "[[8]]"));
  findings = AnalyzeFlight(dumps_);
  EXPECT_EQ(findings[0].kind, FlightFindingKind::kSizeDiffers);
  EXPECT_THAT(findings[0].ranks, ElementsAre(2));
}

TEST_F(FlightRecorder, ARankWithoutADumpIsNamed) {
  Write(0, DumpText(4));
  Write(2, DumpText(4));
  const std::vector<FlightFinding> findings = AnalyzeFlight(dumps_);
  EXPECT_EQ(findings[0].kind, FlightFindingKind::kNotStarted);
  EXPECT_EQ(findings.back().kind, FlightFindingKind::kNoDump);
  EXPECT_THAT(findings.back().ranks, ElementsAre(1));
}

// Protocol 2 as PyTorch's writer makes it: {"version": "2.4", "pg_config": {}, "entries": []}.
TEST_F(FlightRecorder, APickleIsReadAndNeverRun) {
  const auto text = [](std::string_view word) {
    std::string out = "X";
    out += static_cast<char>(word.size());
    out.append(3, '\0');
    return out.append(word);
  };
  const std::string good = std::string("\x80\x02}(") + text("version") + text("2.4") +
                           text("pg_config") + "}" + text("entries") + "]" + "u.";
  EXPECT_TRUE(IsFlightDump(good));
  Write(7, good);
  EXPECT_EQ(dumps_.back().entries.size(), 0u);
  const std::string path = folder_.path() + "/nccl_trace_rank_8";
  std::ofstream(path, std::ios::binary)
      << std::string("\x80\x02") + "cos\nsystem\n(" + text("id") + "tR.";
  EXPECT_FALSE(ReadFlightDump(path));
}

}  // namespace
}  // namespace stepscope
