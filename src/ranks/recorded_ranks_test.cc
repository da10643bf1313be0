// Four ranks of DDP on one H200 by gloo; rank 2 sleeps 30 ms in a range named next_batch before
// each step. All have one clock, but their files name no host.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/data.h"
#include "ranks/digest_trace.h"
#include "ranks/jobs.h"
#include "read/open.h"

namespace stepscope {
namespace {

RankDigest DigestFile(const std::string& path) {
  TaskPool pool(1);
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  const LinkedTrace linked = LinkTrace(profile->traces[0], {}, pool);
  return DigestOf(linked, Analyze(linked, profile->diagnostics[0], {}, pool));
}

TEST(RecordedRanks, TheSlowInputIsNamed) {
  std::vector<RankDigest> digests;
  for (int r = 0; r < 4; ++r) {
    digests.push_back(
        DigestFile(TestData("ranks/slow_input_rank" + std::to_string(r) + ".pt.trace.json.zst")));
  }
  const JobsReport report = AnalyzeJobs(std::move(digests));
  ASSERT_EQ(report.jobs.size(), 1u);
  const Job& job = report.jobs[0];
  EXPECT_EQ(job.world_size, 4);
  EXPECT_FALSE(job.clocks.small_marks);
  EXPECT_EQ(job.clocks.marks, 16u);  // all-reduces of 20 and 28 MiB
  for (const RankClock& clock : job.clocks.ranks) {
    EXPECT_TRUE(clock.aligned);
    EXPECT_LE(std::abs(clock.offset_ns), 3 * clock.error_ns);
  }
  ASSERT_EQ(job.collectives.size(), 2u);
  EXPECT_EQ(job.collectives[0].bytes, 7347200 * 4);
  EXPECT_EQ(job.collectives[1].bytes, 5248000 * 4);
  EXPECT_EQ(job.collectives[0].complete, 8u);
  ASSERT_TRUE(job.straggler);
  EXPECT_TRUE(job.straggler->consistent);
  EXPECT_EQ(job.straggler->rank, 2);
  EXPECT_EQ(job.straggler->cause, StragglerCause::kInput);
  EXPECT_EQ(job.straggler->region, "next_batch");
  EXPECT_NEAR(static_cast<double>(job.straggler->excess.ns), 30e6, 2e6);
  EXPECT_TRUE(job.mismatches.empty());
}

}  // namespace
}  // namespace stepscope
