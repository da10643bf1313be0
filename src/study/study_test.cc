#include "study/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "advise/finding.h"
#include "advise/given.h"
#include "analyze/report.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "ranks/jobs.h"
#include "read/graph_def/graph_def.h"
#include "study/read_jobs.h"
#include "study/reported.h"

namespace stepscope {
namespace {

using testing::ElementsAre;

std::unique_ptr<Study> Opened(std::vector<std::string> paths, StudyOptions options = {}) {
  options.threads = 2;
  Result<std::unique_ptr<Study>> study = Study::Open(std::move(paths), std::move(options));
  if (!study) throw std::runtime_error(InEnglish(study.error().sentence));
  return std::move(*study);
}

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A RunMetadata that says which graphs were run: `partition_graphs` is field 3.
std::string WithPartition(std::string run, const std::string& graph) {
  run += '\x1a';
  size_t size = graph.size();
  for (; size >= 128; size >>= 7) run += static_cast<char>((size & 127) | 128);
  run += static_cast<char>(size);
  return run + graph;
}

bool Fired(const Advice& advice, std::string_view rule) {
  return std::ranges::find(advice.fired, rule) != advice.fired.end();
}

TEST(Study, EachPartIsMadeOnceWhoeverAsks) {
  const auto study = Opened({Example("cudagraph_infer.pt.trace.json.gz")});
  ASSERT_EQ(study->size(), 1U);
  std::vector<const Report*> reports(4);
  std::vector<const std::vector<Advice>*> advices(4);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < reports.size(); ++i) {
      threads.emplace_back([&, i] {
        advices[i] = &study->advice();
        reports[i] = &study->report(0);
      });
    }
  }
  for (size_t i = 1; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i], reports[0]);
    EXPECT_EQ(advices[i], advices[0]);
  }
  const std::vector<Reported> reported = study->reported();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].linked, &study->linked(0));
  EXPECT_EQ(reported[0].report, reports[0]);
  EXPECT_EQ(&reported[0].trace(), &study->trace(0));
}

TEST(Study, StopsWhenAskedToAndGoesOnLater) {
  const auto study = Opened({Example("cudagraph_infer.pt.trace.json.gz")});
  std::stop_source stop;
  stop.request_stop();
  const Result<void> stopped = study->Prepare(stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::kInterrupted);
  EXPECT_TRUE(study->Prepare({}).has_value());
  EXPECT_GT(study->report(0).kernels.size(), 0U);
}

TEST(Study, OpeningStopsToo) {
  std::stop_source stop;
  stop.request_stop();
  const auto study =
      Study::Open({Example("cudagraph_infer.pt.trace.json.gz")}, {.stop = stop.get_token()});
  ASSERT_FALSE(study.has_value());
  EXPECT_EQ(study.error().code, ErrorCode::kInterrupted);
}

// A graph beside a RunMetadata and the graphs inside of it serve the same rules, whatever the file
// is called.
TEST(Study, TheGraphsOfARunServeTheRules) {
  const std::string run = TestData("rules/feed-dict-input.bad.run_meta.pb");
  const std::string graph = TestData("rules/feed-dict-input.bad.graph.pb");
  const auto beside = Opened({run, graph});
  EXPECT_TRUE(Fired(beside->advice()[0], "feed-dict-input"));
  EXPECT_THAT(beside->trace(0).other_paths, ElementsAre(graph));

  const TempDir folder;
  const std::string alone = folder / "alone.pb";
  std::ofstream(alone, std::ios::binary) << Bytes(run);
  const auto without = Opened({alone});
  EXPECT_TRUE(without->graph(0).nodes.empty());
  EXPECT_FALSE(Fired(without->advice()[0], "feed-dict-input"));

  const std::string with = folder / "with.pb";
  std::ofstream(with, std::ios::binary) << WithPartition(Bytes(run), Bytes(graph));
  const auto inside = Opened({with}, {.names = {"<bytes>"}});
  EXPECT_EQ(inside->trace(0).path, "<bytes>");
  EXPECT_THAT(inside->profile().paths, ElementsAre("<bytes>"));
  EXPECT_EQ(inside->ReadPathOf(0), with);
  EXPECT_EQ(inside->graph(0).nodes.size(), beside->graph(0).nodes.size());
  EXPECT_TRUE(Fired(inside->advice()[0], "feed-dict-input"));
}

TEST(Study, AnErrorNamesWhatPeopleKnow) {
  const TempDir folder;
  const std::string empty = folder / "empty.json";
  std::ofstream(empty).flush();
  const auto study = Study::Open({empty}, {.names = {"<bytes>"}});
  ASSERT_FALSE(study.has_value());
  EXPECT_EQ(study.error().file, "<bytes>");
}

TEST(Study, AdviceWithAChoiceOfRulesIsNotKept) {
  const auto study = Opened({Example("cudagraph_infer.pt.trace.json.gz")});
  const std::vector<Advice> some = study->Advise({.only = {"gpu-low-utilization"}}, {});
  ASSERT_EQ(some.size(), 1U);
  const size_t checked = some[0].fired.size() + some[0].quiet.size() + some[0].cannot_tell.size();
  EXPECT_EQ(checked, 1U);
  EXPECT_GT(study->advice()[0].quiet.size(), 1U);
}

TEST(Study, RanksOfOneJobAreOneJob) {
  const auto study = Opened({TestData("ranks")});
  ASSERT_EQ(study->size(), 4u);
  const JobsReport& report = study->jobs();
  ASSERT_EQ(report.jobs.size(), 1u);
  EXPECT_THAT(report.jobs[0].members, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(&study->jobs(), &report);
}

// One or two at a time, with the same answer; a file that is none is named.
TEST(Study, ManyFilesAreReadOneAfterTheOther) {
  std::vector<std::string> files = FilesBelow(TestData("ranks"));
  TempDir folder;
  files.push_back(folder.path() + "/rank4.json");
  std::ofstream(files.back()) << "no";
  const Result<ReadJobs> read = ReadManyJobs(files, {.threads = 2}, SIZE_MAX);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->report.jobs.size(), 1u);
  EXPECT_EQ(read->report.jobs[0].straggler->rank, 2);
  ASSERT_EQ(read->failed.size(), 1u);
  EXPECT_EQ(read->failed[0].file, files.back());
  for (const auto& study : read->studies) EXPECT_NE(study, nullptr);
  const Result<ReadJobs> let_go = ReadManyJobs(files, {.threads = 1}, 0);
  ASSERT_TRUE(let_go);
  for (const auto& study : let_go->studies) EXPECT_EQ(study, nullptr);
  EXPECT_EQ(let_go->report.jobs[0].straggler->excess, read->report.jobs[0].straggler->excess);
}

}  // namespace
}  // namespace stepscope
