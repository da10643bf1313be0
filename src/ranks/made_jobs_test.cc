// Jobs whose clocks, stragglers and lost calls are known because they were made up.

#include <gtest/gtest.h>

#include <cstdlib>

#include "ranks/testing/made_job.h"

namespace stepscope {
namespace {

uint64_t NumberIn(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// STEPSCOPE_MADE_SEED and STEPSCOPE_MADE_JOBS make other jobs, and more of them.
const uint64_t kFirstSeed = NumberIn("STEPSCOPE_MADE_SEED", 1);
const uint64_t kJobs = NumberIn("STEPSCOPE_MADE_JOBS", 100);
const uint64_t kLastSeed = kFirstSeed + kJobs - 1;

uint32_t RanksOf(uint64_t seed) { return static_cast<uint32_t>(2 + seed % 15); }

uint32_t ManyRanksOf(uint64_t seed) { return static_cast<uint32_t>(17 + seed % 48); }

void ExpectOffsets(MadeJob made, uint32_t (*ranks_of)(uint64_t) = RanksOf) {
  for (made.seed = kFirstSeed; made.seed <= kLastSeed; ++made.seed) {
    made.ranks = ranks_of(made.seed);
    const MadeRanks ranks = MakeJob(made);
    const Job job = AnalyzeMade(ranks);
    ASSERT_EQ(job.clocks.ranks.size(), made.ranks);
    EXPECT_EQ(job.clocks.violations, 0u) << made.seed;
    for (size_t r = 0; r < made.ranks; ++r) {
      const RankClock& clock = job.clocks.ranks[r];
      ASSERT_TRUE(clock.aligned);
      EXPECT_LE(std::abs(clock.offset_ns - ranks.offsets[r]), 3 * clock.error_ns + (r == 0 ? 1 : 0))
          << "seed " << made.seed << " rank " << r;
    }
  }
}

TEST(MadeJobs, OffsetsAreFoundFromSmallCalls) { ExpectOffsets({}); }

TEST(MadeJobs, OffsetsAreFoundFromLargeCalls) {
  ExpectOffsets({.small_calls = false});
  ExpectOffsets({.small_calls = false, .ring_ns = 7000});
  ExpectOffsets({.steps = 4, .small_calls = false, .large_calls = 4});
}

// Members that leave small calls tens of microseconds apart, and jobs of up to 64 ranks.
TEST(MadeJobs, OffsetsAreFoundWhereEndsScatter) {
  ExpectOffsets({.jitter_ns = 40'000});
  ExpectOffsets({.steps = 4, .jitter_ns = 40'000});
  ExpectOffsets({.jitter_ns = 40'000}, ManyRanksOf);
}

TEST(MadeJobs, OffsetsOfManyRanksAreFound) {
  ExpectOffsets({}, ManyRanksOf);
  ExpectOffsets({.small_calls = false}, ManyRanksOf);
  ExpectOffsets({.small_calls = false, .ring_ns = 7000}, ManyRanksOf);
}

TEST(MadeJobs, OffsetsOfSecondsAreFoundToo) { ExpectOffsets({.most_offset_ns = 3'000'000'000}); }

void ExpectDrift(MadeJob made) {
  for (made.seed = kFirstSeed; made.seed <= kLastSeed; ++made.seed) {
    made.ranks = RanksOf(made.seed);
    const MadeRanks ranks = MakeJob(made);
    const Job job = AnalyzeMade(ranks);
    EXPECT_EQ(job.clocks.violations, 0u) << made.seed;
    for (uint32_t r = 1; r < made.ranks; ++r) {
      for (const RankCall& call : {ranks.digests[r].calls.front(), ranks.digests[r].calls.back()}) {
        const auto t = static_cast<double>(call.end.ns);
        const double truth = static_cast<double>(ranks.offsets[r]) + ranks.drifts[r] * t;
        const double found = static_cast<double>(job.clocks.End(r, ranks.digests[r], call) -
                                                 ranks.digests[r].epoch_ns - call.end.ns);
        EXPECT_LE(std::abs(found - truth), 3 * static_cast<double>(job.clocks.ranks[r].error_ns))
            << "seed " << made.seed << " rank " << r;
      }
    }
  }
}

// Two minutes with clocks that differ by up to 30 millionths: 3.6 ms from the first step to the
// last.
TEST(MadeJobs, DriftOverMinutesIsFollowed) {
  for (const bool small : {true, false}) {
    ExpectDrift({.steps = 120, .step_ns = 1'000'000'000, .small_calls = small, .drift = 30e-6});
  }
}

// In two or three seconds 30 millionths are 80 microseconds, which the marks show plainly.
TEST(MadeJobs, PlainDriftOfShortJobsIsFollowed) { ExpectDrift({.steps = 120, .drift = 30e-6}); }

TEST(MadeJobs, ClocksThatRunAlikeHaveNoDrift) {
  for (MadeJob made : {MadeJob{}, MadeJob{.steps = 120}, MadeJob{.small_calls = false}}) {
    for (made.seed = kFirstSeed; made.seed <= kLastSeed; ++made.seed) {
      made.ranks = RanksOf(made.seed);
      for (const RankClock& clock : AnalyzeMade(MakeJob(made)).clocks.ranks) {
        EXPECT_EQ(clock.drift, 0) << made.seed;
      }
    }
  }
}

TEST(MadeJobs, SmallCallsGiveMicroseconds) {
  const Job job = AnalyzeMade(MakeJob({.steps = 20}));
  for (const RankClock& clock : job.clocks.ranks) EXPECT_LE(clock.error_ns, 3000);
}

void ExpectStraggler(MadeJob made, uint32_t (*ranks_of)(uint64_t) = RanksOf) {
  for (made.seed = kFirstSeed; made.seed <= kLastSeed; ++made.seed) {
    made.ranks = ranks_of(made.seed);
    made.straggler = static_cast<int64_t>(made.seed * 7 % made.ranks);
    made.steps = static_cast<uint32_t>(6 + made.seed % 10);
    made.small_calls = made.seed % 2 == 0;
    const Job job = AnalyzeMade(MakeJob(made));
    ASSERT_TRUE(job.straggler.has_value()) << made.seed;
    EXPECT_TRUE(job.straggler->consistent) << made.seed;
    EXPECT_EQ(job.straggler->rank, made.straggler) << made.seed;
    EXPECT_NEAR(static_cast<double>(job.straggler->excess.ns), 0.05 * 20e6, 0.02 * 20e6);
  }
}

TEST(MadeJobs, TheStragglerIsNamed) {
  ExpectStraggler({.excess = 0.05});
  ExpectStraggler({.excess = 0.05, .ring_ns = 7000}, ManyRanksOf);
}

// Late before the first call of a step, in time with the others at the many that follow it.
TEST(MadeJobs, AStragglerThatIsLastToFewCallsIsNamed) {
  ExpectStraggler({.large_calls = 11, .excess = 0.05, .late_at_first = true});
}

// From the first call to the last, a step: what a clock on the wall would say.
int64_t TimePerStep(const MadeRanks& ranks, uint32_t steps) {
  const std::vector<RankCall>& calls = ranks.digests[0].calls;
  return (calls.back().end - calls.front().end).ns / steps;
}

// The same job without its straggler, with the same noise, is what the replay has to foretell.
TEST(MadeJobs, TheGainIsThatOfAJobWithoutTheStraggler) {
  for (uint64_t seed = kFirstSeed; seed <= kLastSeed; ++seed) {
    MadeJob made{.ranks = std::max(3U, RanksOf(seed)), .steps = 20, .excess = 0.2, .seed = seed};
    made.straggler = static_cast<int64_t>(seed * 7 % made.ranks);
    const MadeRanks late = MakeJob(made);
    const Job job = AnalyzeMade(late);
    made.straggler = -1;
    const int64_t gain = TimePerStep(late, made.steps) - TimePerStep(MakeJob(made), made.steps);
    ASSERT_TRUE(job.straggler) << seed;
    EXPECT_NEAR(static_cast<double>(job.straggler->gain_lo.ns), static_cast<double>(gain),
                0.1 * static_cast<double>(gain))
        << seed;
    EXPECT_LE(job.straggler->gain_lo, job.straggler->gain_hi) << seed;
    EXPECT_GE(static_cast<double>(job.straggler->gain_hi.ns), 0.95 * static_cast<double>(gain));
  }
}

// How many jobs of ranks that are all alike get a straggler.
uint64_t FalselyNamed(MadeJob made, uint32_t (*ranks_of)(uint64_t) = RanksOf) {
  uint64_t named = 0;
  for (made.seed = kFirstSeed; made.seed <= kLastSeed; ++made.seed) {
    made.ranks = ranks_of(made.seed);
    const Job job = AnalyzeMade(MakeJob(made));
    named += job.straggler && job.straggler->consistent ? 1 : 0;
  }
  return named;
}

TEST(MadeJobs, NobodyIsNamedWhereAllAreAlike) {
  EXPECT_EQ(FalselyNamed({}), 0u);
  EXPECT_EQ(FalselyNamed({.noise = 0.1}), 0u);
  EXPECT_EQ(FalselyNamed({.steps = 4, .noise = 0.05}), 0u);
}

// The limit lets chance name a rank in one job of 2,000 (kWrongJobs), at most.
TEST(MadeJobs, HardlyAnybodyIsNamedWhereTimesScatterWidely) {
  EXPECT_LE(FalselyNamed({.steps = 3, .noise = 0.1}), 1u);
  EXPECT_LE(FalselyNamed({.noise = 0.1}, ManyRanksOf), 1u);
  EXPECT_LE(FalselyNamed({.noise = 0.1, .small_calls = false, .large_calls = 1}), 1u);
}

TEST(MadeJobs, NobodyIsNamedWhereTheStragglerChanges) {
  EXPECT_EQ(FalselyNamed({.rotating = true}), 0u);
}

TEST(MadeJobs, OneSlowStepIsNoSlowRank) {
  const Job job = AnalyzeMade(MakeJob({.straggler = 2, .excess = 1, .slow_step = 3}));
  EXPECT_FALSE(job.straggler && job.straggler->consistent);
  ASSERT_FALSE(job.slow_steps.empty());
  EXPECT_EQ(job.slow_steps[0].rank, 2);
  EXPECT_EQ(job.slow_steps[0].step, 13);
}

// The shared clock of one host is believed unless the calls contradict.
TEST(MadeJobs, OneHostHasOneClockUnlessCallsContradict) {
  MadeRanks same = MakeJob({.most_offset_ns = 0});
  for (RankDigest& digest : same.digests) digest.host = "node1";
  const Job job = AnalyzeMade(same);
  EXPECT_TRUE(job.clocks.shared);
  for (const RankClock& clock : job.clocks.ranks) EXPECT_EQ(clock.offset_ns, 0);
  MadeRanks shifted = MakeJob({.most_offset_ns = 5'000'000});
  for (RankDigest& digest : shifted.digests) digest.host = "node1";
  const Job other = AnalyzeMade(shifted);
  EXPECT_FALSE(other.clocks.shared);
  EXPECT_NEAR(static_cast<double>(other.clocks.ranks[1].offset_ns),
              static_cast<double>(shifted.offsets[1]), 9000);
}

// Files that begin and end at different calls, and one that lost some.
TEST(MadeJobs, CallsAreMatchedInWindowsThatDiffer) {
  for (const bool sequences : {false, true}) {
    MadeRanks made = MakeJob({.sequences = sequences});
    std::vector<RankCall>& second = made.digests[1].calls;
    second.erase(second.begin(), second.begin() + 5);
    std::vector<RankCall>& third = made.digests[2].calls;
    third.erase(third.end() - 6, third.end());
    const Job job = AnalyzeMade(made);
    uint64_t complete = 0, calls = 0;
    for (const JobCollective& row : job.collectives) {
      complete += row.complete;
      calls += row.calls;
    }
    EXPECT_EQ(calls, 32u);
    EXPECT_EQ(complete, 32u - 5 - 6);
    EXPECT_TRUE(job.mismatches.empty());
    EXPECT_LE(std::abs(job.clocks.ranks[1].offset_ns - made.offsets[1]), 9000);
  }
}

TEST(MadeJobs, ALostCallDoesNotShiftTheOthers) {
  MadeRanks made = MakeJob({.steps = 12, .small_calls = false, .large_calls = 1});
  std::vector<RankCall>& calls = made.digests[3].calls;
  calls.erase(calls.begin() + 6);
  const Job job = AnalyzeMade(made);
  ASSERT_EQ(job.collectives.size(), 1u);
  EXPECT_EQ(job.collectives[0].calls, 12u);
  EXPECT_EQ(job.collectives[0].complete, 11u);
  ASSERT_EQ(job.mismatches.size(), 1u);
  EXPECT_EQ(job.mismatches[0].rank, 3);
  EXPECT_EQ(job.mismatches[0].index, 6u);
  EXPECT_EQ(job.mismatches[0].expected, "allreduce Float 8388608");
  EXPECT_EQ(job.mismatches[0].found, "");
}

TEST(MadeJobs, RanksThatCallSomethingElseAreShown) {
  MadeRanks made = MakeJob({});
  RankDigest& odd = made.digests[2];
  odd.signatures.push_back(odd.signatures[1]);
  odd.signatures.back().type = CollectiveType::kAllGather;
  odd.calls[9].signature = 2;
  const Job job = AnalyzeMade(made);
  ASSERT_EQ(job.mismatches.size(), 1u);
  EXPECT_EQ(job.mismatches[0].rank, 2);
  EXPECT_EQ(job.mismatches[0].index, 9u);
  EXPECT_EQ(job.mismatches[0].expected, "allreduce Float 8388608");
  EXPECT_EQ(job.mismatches[0].found, "allgather Float 8388608");
  EXPECT_EQ(job.mismatches[0].event, 9u);
}

TEST(MadeJobs, AMissingRankLeavesTheOthers) {
  MadeRanks made = MakeJob({.straggler = 1});
  made.digests.pop_back();
  const Job job = AnalyzeMade(made);
  EXPECT_EQ(job.world_size, 4);
  EXPECT_EQ(job.ranks.size(), 3u);
  for (const JobCollective& row : job.collectives) {
    EXPECT_EQ(row.complete, 0u);
    EXPECT_EQ(row.cost, CostKind::kCannotTell);
    EXPECT_FALSE(row.bus_bandwidth);  // the missing rank may be the one that all wait for
  }
  ASSERT_TRUE(job.straggler);
  EXPECT_EQ(job.straggler->rank, 1);
}

TEST(MadeJobs, WithoutCallsThatWaitForAllClocksCannotBeAligned) {
  MadeRanks made = MakeJob({});
  for (RankDigest& digest : made.digests) {
    for (CallSignature& signature : digest.signatures) signature.type = CollectiveType::kBroadcast;
  }
  const Job job = AnalyzeMade(made);
  EXPECT_EQ(job.clocks.marks, 0u);
  for (const RankClock& clock : job.clocks.ranks) EXPECT_FALSE(clock.aligned);
}

TEST(MadeJobs, TheCriticalPathAddsUpAndFollowsTheStraggler) {
  const Job job = AnalyzeMade(MakeJob({.straggler = 3, .excess = 0.5}));
  int64_t sum = 0;
  for (const PathPart& part : job.critical_path) sum += part.time.ns;
  EXPECT_EQ(sum, job.path_time.ns);
  ASSERT_FALSE(job.critical_path.empty());
  EXPECT_EQ(job.critical_path[0].rank, 3);
  EXPECT_EQ(job.critical_path[0].kind, PathKind::kCompute);
}

}  // namespace
}  // namespace stepscope
