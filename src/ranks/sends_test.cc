// Two stages of a pipeline, drawn: all numbers below follow from the drawing.

#include <gtest/gtest.h>

#include "ranks/analyze_job.h"
#include "ranks/testing/made_job.h"
#include "read/chrome_json/testing/read_text.h"

namespace stepscope {
namespace {

constexpr int64_t kUs = 1000;

struct Drawn {
  RankDigest digest;
  std::vector<Interval> compute, calls;

  void Compute(int64_t from, int64_t to) { compute.push_back({{from * kUs}, {to * kUs}}); }
  void Call(uint32_t signature, uint32_t step, int64_t from, int64_t to) {
    calls.push_back({{from * kUs}, {to * kUs}});
    digest.calls.push_back({.start = {from * kUs},
                            .end = {to * kUs},
                            .signature = signature,
                            .step = step,
                            .event = static_cast<uint32_t>(digest.calls.size())});
  }
  RankDigest Finish() {
    digest.compute = IntervalSet::Of(compute);
    digest.exposed = IntervalSet::Of(calls).Subtract(digest.compute);
    for (RankStep& step : digest.steps) {
      step.compute = digest.compute.Clip({step.start, step.end}).length();
      step.exposed = digest.exposed.Clip({step.start, step.end}).length();
      step.idle = step.end - step.start - step.compute - step.exposed;
    }
    return std::move(digest);
  }
};

CallSignature SignatureOf(CollectiveType type, int64_t elements, int64_t peer) {
  return {.group = 0,
          .type = type,
          .dtype = "Float",
          .in_elements = elements,
          .out_elements = elements,
          .element_bytes = 4,
          .bytes = elements * 4,
          .peer = peer};
}

// In each step of 1,000 us rank 0 computes 400 and sends for 100; rank 1 waits in its receive from
// the start, gets the data at 500, computes until 900; both meet in a small all-reduce at 900 to
// 910. The clock of rank 1 says 7 ms less than that of rank 0.
std::vector<RankDigest> TwoStages(int64_t peer) {
  Drawn first, second;
  for (Drawn* rank : {&first, &second}) {
    rank->digest.rank = rank == &first ? 0 : 1;
    rank->digest.world_size = 2;
    rank->digest.numbered = true;
    rank->digest.epoch_ns = 1'790'000'000'000'000'000 - (rank == &first ? 0 : 7'000'000);
    rank->digest.groups = {{.name = "pp", .description = "", .backend = "nccl", .size = 2}};
    rank->digest.signatures = {
        SignatureOf(rank == &first ? CollectiveType::kSend : CollectiveType::kReceive, 1 << 20,
                    peer < 0 ? -1 : (rank == &first ? 1 : 0)),
        SignatureOf(CollectiveType::kAllReduce, 1, -1)};
  }
  for (uint32_t s = 0; s < 5; ++s) {
    const int64_t t = 1000 * s;
    for (Drawn* rank : {&first, &second}) {
      rank->digest.steps.push_back({.number = s, .start = {t * kUs}, .end = {(t + 1000) * kUs}});
    }
    first.Compute(t, t + 400);
    first.Call(0, s, t + 400, t + 500);
    first.Call(1, s, t + 500, t + 910);
    second.Call(0, s, t, t + 500);
    second.Compute(t + 500, t + 900);
    second.Call(1, s, t + 900, t + 910);
  }
  std::vector<RankDigest> ranks;
  ranks.push_back(first.Finish());
  ranks.push_back(second.Finish());
  return ranks;
}

Job JobOf(const std::vector<RankDigest>& ranks) { return AnalyzeJob(ranks, {0, 1}, {0, 1}, 2); }

int64_t PathOf(const Job& job, int64_t rank, PathKind kind) {
  for (const PathPart& part : job.critical_path) {
    if (part.rank == rank && part.kind == kind) return part.time.ns / kUs;
  }
  return 0;
}

void ExpectJoined(const Job& job) {
  EXPECT_EQ(job.clocks.ranks[1].offset_ns, 7'000'000);
  const auto row =
      std::ranges::find(job.collectives, CollectiveType::kSendReceive, &JobCollective::type);
  ASSERT_NE(row, job.collectives.end());
  EXPECT_EQ(row->complete, 5u);
  ASSERT_TRUE(row->transfer);
  EXPECT_EQ(row->transfer->median.ns, 100 * kUs);  // from when the sender came
  EXPECT_EQ(row->wait.max.ns, 400 * kUs);          // of the receiver
  EXPECT_NEAR(*row->bus_bandwidth, 4.0 * (1 << 20) / 100e-6, 1);
  // The receiver's 500 us are 400 of waiting and 100 of transfer.
  EXPECT_EQ(job.ranks[1].exposed_wait.ns, 400 * kUs);
  // The path goes back from rank 1 over its receive to rank 0: 400 + 100 + 400 + 10 and what is
  // between steps.
  EXPECT_EQ(PathOf(job, 0, PathKind::kCompute), 5 * 400);
  EXPECT_EQ(PathOf(job, 1, PathKind::kCompute), 5 * 400);
  int64_t sum = 0;
  for (const PathPart& part : job.critical_path) sum += part.time.ns;
  EXPECT_EQ(sum, job.path_time.ns);
  // Nobody is a straggler for coming second in a pipeline.
  EXPECT_FALSE(job.straggler && job.straggler->consistent);
  // Nothing runs for 90 after the all-reduce; rank 1 waits 400 for its message.
  ASSERT_TRUE(job.pipeline);
  EXPECT_NEAR(job.pipeline->measured_bubble, (0.09 + 0.09 + 0.4) / 2, 1e-9);
}

TEST(Sends, AreJoinedByTheirRanks) { ExpectJoined(JobOf(TwoStages(1))); }

TEST(Sends, OfTwoRanksNeedNoNames) { ExpectJoined(JobOf(TwoStages(-1))); }

TEST(Sends, ThatWereBufferedLeadNowhere) {
  std::vector<RankDigest> ranks = TwoStages(1);
  for (RankCall& call : ranks[1].calls) {
    if (call.signature == 0) call.start = {call.end.ns - 1000};  // long after the send was over
  }
  for (RankCall& call : ranks[0].calls) {
    if (call.signature == 0) call.end = {call.start.ns + 1000};
  }
  const Job job = JobOf(ranks);
  int64_t sum = 0;
  for (const PathPart& part : job.critical_path) sum += part.time.ns;
  EXPECT_EQ(sum, job.path_time.ns);
}

TEST(Sends, ThatNobodyReceivesStayAlone) {
  std::vector<RankDigest> ranks = TwoStages(1);
  for (CallSignature& signature : ranks[0].signatures) {
    if (signature.type == CollectiveType::kSend) signature.peer = 5;
  }
  const Job job = JobOf(ranks);
  EXPECT_EQ(job.collectives.size(), 1u);
}

TEST(Sends, RanksAndIdsAreRead) {
  const auto answer = chrome_json::ReadText(
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,)"
      R"("ts":10,"dur":5,"args":{"device":0,"stream":7,"Collective name":"send","dtype":"Float",)"
      R"("In msg nelems":8,"Out msg nelems":8,"Group size":4,"Src Rank":1,"Dst Rank":2,"Seq":3,)"
      R"("Comms Id":1234567890123}}]})");
  ASSERT_EQ(answer.trace->collectives.size(), 1u);
  EXPECT_EQ(answer.trace->collectives[0].source, 1);
  EXPECT_EQ(answer.trace->collectives[0].destination, 2);
  EXPECT_EQ(answer.trace->collectives[0].id, 1234567890123U);
}

}  // namespace
}  // namespace stepscope
