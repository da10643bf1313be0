#include "fleet/listed_path.h"

#include <gtest/gtest.h>

#include "fleet/path_pattern.h"

namespace stepscope::fleet {
namespace {

TEST(PathList, TakesPathsAndObjectsOnce) {
  const Result<std::vector<ListedPath>> paths = ParsePathList(
      "a/x.json\r\n\n"
      R"({"path": "s3://b/y.json", "local": "/nowhere/y", "bytes": 12, "mtime_unix_ns": 5,)"
      R"( "job_id": "j", "rank": 3, "weight": 10})"
      "\na/x.json\n",
      "list");
  ASSERT_TRUE(paths) << InEnglish(paths.error().sentence);
  ASSERT_EQ(paths->size(), 2u);
  EXPECT_EQ((*paths)[0].path, "a/x.json");
  EXPECT_EQ((*paths)[0].local, "a/x.json");
  EXPECT_FALSE((*paths)[0].bytes);
  const ListedPath& object = (*paths)[1];
  EXPECT_EQ(object.path, "s3://b/y.json");
  EXPECT_EQ(object.local, "/nowhere/y");
  EXPECT_EQ(object.bytes, 12);
  EXPECT_EQ(object.mtime_unix_ns, 5);
  EXPECT_EQ(object.facts.job, "j");
  EXPECT_EQ(object.facts.rank, 3);
  EXPECT_EQ(object.weight, 10);
}

TEST(PathList, SaysWhichLineIsWrong) {
  for (const char* text : {"ok\n{\"path\"", "ok\n{\"bytes\": 3}"}) {
    const Result<std::vector<ListedPath>> paths = ParsePathList(text, "list");
    ASSERT_FALSE(paths);
    EXPECT_EQ(paths.error().code, ErrorCode::kUsage);
    EXPECT_NE(InEnglish(paths.error().sentence).find("line 2"), std::string::npos);
  }
}

TEST(PathPattern, ReadsThePartsOfAPath) {
  const Result<PathPattern> pattern = PathPattern::Parse("jobs/{job}/{run}/rank{rank}_*.json.gz");
  ASSERT_TRUE(pattern);
  PathFacts facts;
  EXPECT_TRUE(pattern->Match("s3://bucket/jobs/llama/r17/rank12_host.3.json.gz", facts));
  EXPECT_EQ(facts.job, "llama");
  EXPECT_EQ(facts.run, "r17");
  EXPECT_EQ(facts.rank, 12);
  // What is known already stays.
  EXPECT_TRUE(pattern->Match("jobs/other/r18/rank3_.json.gz", facts));
  EXPECT_EQ(facts.job, "llama");
}

TEST(PathPattern, FitsTheEndFromAFolderOn) {
  const Result<PathPattern> pattern = PathPattern::Parse("jobs/{job}/rank{rank}.json");
  PathFacts facts;
  EXPECT_FALSE(pattern->Match("jobs/a/rank1.json.gz", facts));
  EXPECT_FALSE(pattern->Match("myjobs/a/rank1.json", facts));
  EXPECT_FALSE(pattern->Match("jobs/a/b/rank1.json", facts));
  EXPECT_FALSE(pattern->Match("jobs/a/rankone.json", facts));
  EXPECT_FALSE(facts.job);
  const Result<PathPattern> any = PathPattern::Parse("jobs/{job}/**/{host}.json");
  EXPECT_TRUE(any->Match("jobs/a/b/c/h1.json", facts));
  EXPECT_EQ(facts.host, "h1");
}

TEST(PathPattern, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"{jobs}", "{job", "plain", "{job}{job}"}) {
    EXPECT_FALSE(PathPattern::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace stepscope::fleet
