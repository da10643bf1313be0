#include "ranks/collective.h"

#include <gtest/gtest.h>

#include "ranks/jobs.h"
#include "ranks/testing/made_job.h"

namespace stepscope {
namespace {

using enum CollectiveType;

TEST(Collective, IsKnownInEverySpelling) {
  EXPECT_EQ(CollectiveTypeOf("gloo:all_reduce"), kAllReduce);
  EXPECT_EQ(CollectiveTypeOf("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"),
            kAllReduce);
  EXPECT_EQ(CollectiveTypeOf("void vllm::cross_device_reduce_1stage<__half, 2>(int)"), kAllReduce);
  EXPECT_EQ(CollectiveTypeOf("_allgather_base"), kAllGather);
  EXPECT_EQ(CollectiveTypeOf("all_gather_into_tensor_coalesced"), kAllGather);
  EXPECT_EQ(CollectiveTypeOf("reduce_scatter_tensor_coalesced"), kReduceScatter);
  EXPECT_EQ(CollectiveTypeOf("all_to_allv"), kAllToAllV);
  EXPECT_EQ(CollectiveTypeOf("all-to-all.3"), kAllToAll);
  EXPECT_EQ(CollectiveTypeOf("ncclDevKernel_SendRecv"), kSendReceive);
  EXPECT_EQ(CollectiveTypeOf("nccl:recv 1<-0"), kReceive);
  EXPECT_EQ(CollectiveTypeOf("reduce"), kReduce);
  EXPECT_EQ(CollectiveTypeOf("wait"), kWait);
}

// nccl-tests, doc/PERFORMANCE.md: busbw = algbw × factor.
TEST(Collective, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 2), 1);
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(BusFactor(kReduceScatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(BusFactor(kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(kAllToAll, 16), 0.9375);
  EXPECT_DOUBLE_EQ(BusFactor(kBroadcast, 8), 1);
  EXPECT_DOUBLE_EQ(BusFactor(kReduce, 8), 1);
  EXPECT_DOUBLE_EQ(BusFactor(kSend, 2), 1);
}

TEST(Collective, PayloadIsTheWholeArray) {
  EXPECT_EQ(PayloadBytes(kAllReduce, 1000, 1000, 4, 8), 4000);
  EXPECT_EQ(PayloadBytes(kAllGather, 1000, 8000, 2, 8), 16000);
  EXPECT_EQ(PayloadBytes(kAllGather, 1000, -1, 2, 8), 16000);  // only the own part is known
  EXPECT_EQ(PayloadBytes(kReduceScatter, 8000, 1000, 4, 8), 32000);
  EXPECT_EQ(PayloadBytes(kAllReduce, -1, -1, 4, 8), -1);
  EXPECT_EQ(PayloadBytes(kAllReduce, INT64_MAX, 1, 4, 8), -1);
}

// Golden figures of TraceLens for an allgather of Llama-70B on 8 MI300X: 106,956,800 bf16 in,
// 6065.406 µs, "262.77" and "229.92 GB/s" with 1024³ bytes a GB: 282.1 and 246.9 as nccl-tests
// counts.
TEST(Collective, BandwidthOfAGoldenAllGather) {
  const int64_t bytes = PayloadBytes(kAllGather, 106'956'800, 855'654'400, 2, 8);
  const double algorithm = static_cast<double>(bytes) / 6065.406e-6;
  EXPECT_NEAR(algorithm / 1e9, 282.1, 0.1);
  EXPECT_NEAR(algorithm / (1024.0 * 1024 * 1024), 262.77, 0.01);
  EXPECT_NEAR(algorithm * BusFactor(kAllGather, 8) / 1e9, 246.9, 0.1);
}

// One slow rank makes the call long for all others: its bandwidth is that of the transfer.
TEST(Collective, BandwidthIsNeverThatOfAWaitingRank) {
  const Job job = AnalyzeMade(MakeJob({.steps = 10,
                                       .noise = 0,
                                       .small_calls = true,
                                       .large_calls = 1,
                                       .straggler = 0,
                                       .excess = 5}));
  for (const JobCollective& row : job.collectives) {
    if (row.bytes < 1 << 20) continue;
    // 32 MiB in 2.0 to 2.1 ms between four ranks: factor 1.5.
    EXPECT_NEAR(*row.bus_bandwidth / 1e9, 33.554432 / 2.1 * 1.5, 0.6);
    EXPECT_EQ(row.cost, CostKind::kArrivalSkew);
  }
}

TEST(Jobs, ThePathTellsTheRank) {
  EXPECT_EQ(RankOfPath("a/slow_rank3.pt.trace.json").rank, 3);
  EXPECT_EQ(RankOfPath("a/slow_rank3.pt.trace.json").rest, "a/slow_rank*.pt.trace.json");
  EXPECT_EQ(RankOfPath("rank-12.Apr_03.json").rank, 12);
  EXPECT_EQ(RankOfPath("t_3_of_8.json").rank, 3);
  EXPECT_EQ(RankOfPath("t_3_of_8.json").world_size, 8);
  EXPECT_EQ(RankOfPath("comm.bad.r1.json.gz").rank, 1);
  EXPECT_EQ(RankOfPath("rank2/trace.json").rest, "rank*/trace.json");
  EXPECT_FALSE(RankOfPath("resnet50_good.json").rank);
  EXPECT_FALSE(RankOfPath("frank5.json").rank);
}

RankDigest FileOf(std::string path, int64_t rank, int64_t world, int64_t epoch) {
  RankDigest digest;
  digest.path = std::move(path);
  if (rank >= 0) digest.rank = rank;
  if (world >= 0) digest.world_size = world;
  digest.epoch_ns = epoch;
  digest.span = DurationNs{1'000'000'000};
  return digest;
}

TEST(Jobs, UnrelatedProfilesAreNoJob) {
  const std::vector<RankDigest> files = {FileOf("h200/gpt2.json", -1, -1, 5),
                                         FileOf("h200/resnet.json", 0, 1, 5),
                                         FileOf("h200/mlp.json", -1, -1, 5)};
  EXPECT_TRUE(GroupJobs(files).empty());
}

TEST(Jobs, RunsOfOneJobAreToldApart) {
  const int64_t later = 60'000'000'000;
  const std::vector<RankDigest> files = {
      FileOf("d/balanced_rank0.json", 0, 2, 5), FileOf("d/balanced_rank1.json", 1, 2, 5),
      FileOf("d/slow_rank0.json", 0, 2, 9),     FileOf("d/slow_rank1.json", 1, 2, 9),
      FileOf("e/host_11.json", 0, 2, 7),        FileOf("e/host_12.json", 1, 2, 8),
      FileOf("e/host_13.json", 0, 2, later),    FileOf("e/host_14.json", 1, 2, later + 3)};
  const std::vector<JobFiles> jobs = GroupJobs(files);
  ASSERT_EQ(jobs.size(), 4u);
  for (const JobFiles& job : jobs) {
    EXPECT_EQ(job.members.size(), 2u);
    EXPECT_EQ(job.members[1], job.members[0] + 1);
    EXPECT_EQ(job.world_size, 2);
  }
}

// Paths may name the node beside the rank, and several runs may lie side by side.
TEST(Jobs, NodesOfOneJobArePutTogether) {
  const int64_t later = 60'000'000'000;
  std::vector<RankDigest> files;
  for (const int64_t run : {1, 2}) {
    for (int64_t rank = 0; rank < 4; ++rank) {
      files.push_back(FileOf("d/run" + std::to_string(run) + "_node" + std::to_string(rank / 2) +
                                 "_rank" + std::to_string(rank) + ".json",
                             rank, 4, run * later + rank));
    }
  }
  const std::vector<JobFiles> jobs = GroupJobs(files);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].members, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(jobs[1].members, (std::vector<size_t>{4, 5, 6, 7}));
}

// TensorBoard's handler names files by host and process; old ones know no rank.
TEST(Jobs, ProcessesThatRanAtOnceAreAJob) {
  const int64_t later = 60'000'000'000;
  std::vector<RankDigest> files = {FileOf("d/node2_17.33.pt.trace.json", -1, -1, 6),
                                   FileOf("d/node1_99.31.pt.trace.json", -1, -1, 5),
                                   FileOf("d/node1_12.32.pt.trace.json", -1, -1, 7),
                                   FileOf("d/node1_13.99.pt.trace.json", -1, -1, later)};
  EXPECT_TRUE(GroupJobs(files).empty());  // nothing says that they have to do with each other
  for (RankDigest& file : files) file.communicates = true;
  const std::vector<JobFiles> jobs = GroupJobs(files);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].members, (std::vector<size_t>{2, 1, 0}));
  EXPECT_EQ(jobs[0].ranks, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(jobs[0].world_size, 3);
  EXPECT_EQ(jobs[0].name, "d/node*.pt.trace.json");
}

// T_1 = 10, T_4 = 16 ms: 10/16 of the ideal, and the loss has parts that add up.
TEST(Scaling, LossAddsUp) {
  MadeRanks four = MakeJob({.noise = 0, .straggler = 1, .excess = 0.2});
  MadeRanks one = MakeJob({.ranks = 1, .noise = 0, .large_calls = 0});
  for (RankDigest* digest : {&one.digests[0]}) {
    digest->path = "one.json";
    digest->world_size = 1;
    digest->calls.clear();
  }
  std::vector<RankDigest> all = std::move(four.digests);
  all.push_back(std::move(one.digests[0]));
  for (RankDigest& digest : all) digest.work = {{.name = "gemm", .calls = 8, .total = {100}}};
  const JobsReport report = AnalyzeJobs(std::move(all));
  ASSERT_TRUE(report.scaling);
  ASSERT_EQ(report.scaling->runs.size(), 2u);
  const ScalingRun& run = report.scaling->runs[1];
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ((run.loss_compute + run.loss_transfer + run.loss_wait + run.loss_idle).ns, run.loss.ns);
  EXPECT_EQ(run.loss.ns, run.step.ns - report.scaling->runs[0].step.ns);
  EXPECT_GT(run.loss_wait.ns, 0);
}

}  // namespace
}  // namespace stepscope
