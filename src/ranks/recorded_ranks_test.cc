// Four ranks of DDP on one H200 by gloo; rank 2 sleeps 30 ms in a range named next_batch before
// each step. All have one clock, but their files name no host.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "io/byte_source.h"
#include "ranks/digest_trace.h"
#include "ranks/jobs.h"
#include "read/open.h"

namespace stepscope {
namespace {

std::string PathOf(int rank) {
  return TestData("ranks/slow_input_rank" + std::to_string(rank) + ".pt.trace.json.zst");
}

RankDigest DigestFile(const std::string& path) {
  TaskPool pool(1);
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  const LinkedTrace linked = LinkTrace(profile->traces[0], {}, pool);
  return DigestOf(linked, Analyze(linked, profile->diagnostics[0], {}, pool));
}

TEST(RecordedRanks, TheSlowInputIsNamed) {
  std::vector<RankDigest> digests;
  for (int r = 0; r < 4; ++r) {
    digests.push_back(DigestFile(PathOf(r)));
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

// The first part of a rank's file. Its events are not in order of time, so that it lacks calls and
// steps in between; all files have one clock.
TEST(RecordedRanks, ACutFileLeavesClocksAndStragglerRight) {
  const TempDir folder;
  for (int cut = 0; cut < 4; ++cut) {
    for (const size_t share : {30, 50, 70, 90}) {
      std::vector<RankDigest> digests;
      for (int r = 0; r < 4; ++r) {
        std::string path = PathOf(r);
        if (r == cut) {
          const FileBytes whole = *ReadWhole(path);
          path = folder / "cut.json";
          std::ofstream(path).write(whole.bytes().data(), static_cast<std::streamsize>(
                                                              whole.bytes().size() * share / 100));
        }
        digests.push_back(DigestFile(path));
        digests.back().path = "run/rank" + std::to_string(r) + ".json";
      }
      const JobsReport report = AnalyzeJobs(std::move(digests));
      ASSERT_EQ(report.jobs.size(), 1u);
      const Job& job = report.jobs[0];
      for (const RankClock& clock : job.clocks.ranks) {
        EXPECT_LE(std::abs(clock.offset_ns), 2'000'000) << cut << ' ' << share;
        EXPECT_LE(std::abs(clock.offset_ns), 3 * clock.error_ns) << cut << ' ' << share;
      }
      EXPECT_TRUE(job.mismatches.empty()) << cut << ' ' << share;
      // Of the late rank itself too little may be left.
      if (cut == 2 && !job.straggler) continue;
      ASSERT_TRUE(job.straggler) << cut << ' ' << share;
      EXPECT_EQ(job.straggler->rank, 2) << cut << ' ' << share;
      EXPECT_TRUE(job.straggler->consistent) << cut << ' ' << share;
      EXPECT_EQ(job.straggler->region, "next_batch") << cut << ' ' << share;
    }
  }
}

}  // namespace
}  // namespace stepscope
