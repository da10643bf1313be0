#include "fleet/rank_pass.h"

#include <gtest/gtest.h>

#include "base/testing/data.h"
#include "fleet/rank_summary.h"
#include "fleet/rows_of_file.h"
#include "present/json_writer.h"
#include "ranks/jobs.h"
#include "study/study.h"

namespace stepscope::fleet {
namespace {

// Summaries of files that are read one by one, as lines.
std::string LinesOf(const std::vector<std::string>& files, const std::string& job) {
  std::string lines;
  for (const std::string& file : files) {
    ListedPath listed;
    listed.path = listed.local = file;
    if (!job.empty()) listed.facts.job = job;
    const FileRows rows = RowsOfFile(listed, 1);
    for (const RankSummaryRow& row : rows.rank_summaries) {
      JsonWriter json(lines);
      json.BeginObject();
      json.Field("profile_id", rows.key.profile_id);
      json.Field("day", rows.key.day);
      json.Field("run_key", row.run_key);
      json.Field("path", row.path);
      if (row.job_id) json.Field("job_id", *row.job_id);
      json.Field("summary", row.summary);
      json.EndObject();
      lines += "\n";
    }
  }
  return lines;
}

std::vector<FileRows> RanksIn(const std::string& lines, RankPassCounts& counts) {
  std::vector<FileRows> all;
  const auto done = JoinRanks(lines, [&](const FileRows& rows) { all.push_back(rows); });
  EXPECT_TRUE(done);
  counts = done.value_or(RankPassCounts{});
  return all;
}

// What `report` says of the same files, read together.
TEST(RankPass, SaysWhatAReportOfAllRanksSays) {
  const std::vector<std::string> files = FilesBelow(TestData("ranks"));
  const auto study = Study::Open(files, {.threads = 2});
  ASSERT_TRUE(study);
  const Job& job = (*study)->jobs().jobs.at(0);
  for (const std::string& name : {std::string(), std::string("a job")}) {
    RankPassCounts counts;
    const std::vector<FileRows> rows = RanksIn(LinesOf(files, name), counts);
    EXPECT_EQ(counts.runs, 1u);
    ASSERT_EQ(rows.size(), job.ranks.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const RankRow& row = rows[i].ranks.at(0);
      const JobRank& rank = job.ranks[i];
      EXPECT_EQ(row.rank, rank.rank);
      EXPECT_EQ(row.step, rank.step);
      EXPECT_EQ(row.own, rank.own);
      EXPECT_EQ(row.exposed_transfer, rank.exposed_transfer);
      EXPECT_EQ(row.exposed_wait, rank.exposed_wait);
      EXPECT_EQ(row.wait, rank.wait);
      EXPECT_EQ(row.last, rank.last);
      EXPECT_EQ(row.z, rank.z);
      EXPECT_EQ(row.straggler, rank.rank == 2);  // the program makes rank 2 wait for its input
      EXPECT_EQ(row.cause.value_or(""), rank.rank == 2 ? "input" : "");
      EXPECT_EQ(row.job_id.value_or(""), name);
    }
  }
}

TEST(RankPass, ACopyOfARankCountsOnce) {
  std::vector<std::string> files = FilesBelow(TestData("ranks"));
  files.push_back(files[1]);
  RankPassCounts counts;
  EXPECT_EQ(RanksIn(LinesOf(files, "a job"), counts).size(), files.size() - 1);
}

TEST(RankPass, OneRankAloneIsNoRun) {
  RankPassCounts counts;
  EXPECT_TRUE(RanksIn(LinesOf({FilesBelow(TestData("ranks"))[0]}, "a job"), counts).empty());
  EXPECT_EQ(counts.summaries, 1u);
}

TEST(RankPass, WhatIsNoSummaryIsSaid) {
  EXPECT_FALSE(JoinRanks("{}\n", [](const FileRows&) {}));
  EXPECT_FALSE(JoinRanks("nothing\n", [](const FileRows&) {}));
}

TEST(RankSummary, CutAnywhereItIsNone) {
  ListedPath listed;
  listed.path = listed.local = FilesBelow(TestData("ranks"))[0];
  const std::string text = RowsOfFile(listed, 1).rank_summaries.at(0).summary;
  EXPECT_TRUE(DecodeSummary(text));
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(DecodeSummary(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodeSummary(text.substr(0, 100) + "*" + text.substr(101)));
}

}  // namespace
}  // namespace stepscope::fleet
