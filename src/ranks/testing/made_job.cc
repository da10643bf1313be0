#include "ranks/testing/made_job.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "ranks/analyze_job.h"

namespace stepscope {
namespace {

constexpr int64_t kSmallTransfer = 20'000, kLargeTransfer = 2'000'000;
constexpr int64_t kEpoch = 1'790'000'000'000'000'000;

CallSignature SignatureOf(int64_t elements) {
  return {.group = 0,
          .type = CollectiveType::kAllReduce,
          .dtype = "Float",
          .in_elements = elements,
          .out_elements = elements,
          .element_bytes = 4,
          .bytes = elements * 4};
}

// Gives a rank a clock that goes wrong: where it says t, t * (1 + drift) have gone by.
void Slow(double drift, RankDigest& digest, std::vector<Interval>& work,
          std::vector<Interval>& waits) {
  const auto local = [drift](TimeNs& time) {
    time.ns = std::llround(static_cast<double>(time.ns) / (1 + drift));
  };
  for (RankCall& call : digest.calls) {
    local(call.start);
    local(call.end);
  }
  for (RankStep& step : digest.steps) {
    local(step.start);
    local(step.end);
  }
  for (std::vector<Interval>* list : {&work, &waits}) {
    for (Interval& interval : *list) {
      local(interval.start);
      local(interval.end);
    }
  }
}

}  // namespace

MadeRanks MakeJob(const MadeJob& made) {
  std::mt19937_64 random(made.seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> offset(-made.most_offset_ns, made.most_offset_ns);
  std::uniform_int_distribution<int64_t> jitter(0, made.jitter_ns), ring(0, 100'000);
  MadeRanks job;
  std::vector<int64_t> now(made.ranks, 1'000'000);
  std::vector<std::vector<Interval>> work(made.ranks), waits(made.ranks);
  for (uint32_t r = 0; r < made.ranks; ++r) {
    RankDigest& digest = job.digests.emplace_back();
    digest.path = "run/rank" + std::to_string(r) + ".json";
    digest.rank = r;
    digest.world_size = made.ranks;
    // Rank r's file says t where the true time is t + offset.
    job.offsets.push_back(r == 0 ? 0 : offset(random));
    digest.epoch_ns = kEpoch - job.offsets.back();
    digest.numbered = true;
    digest.groups = {{.name = "0", .description = "", .backend = "nccl", .size = made.ranks}};
    digest.signatures = {SignatureOf(1), SignatureOf(8 << 20)};
  }
  const uint32_t calls = made.large_calls + (made.small_calls ? 1 : 0);
  int64_t sequence = 0;
  for (uint32_t s = 0; s < made.steps; ++s) {
    for (uint32_t r = 0; r < made.ranks; ++r) {
      job.digests[r].steps.push_back({.number = s + 10, .start = {now[r]}, .end = {}});
    }
    for (uint32_t c = 0; c < calls; ++c, ++sequence) {
      const bool small = made.small_calls && c == 0;
      const double share = 1.0 / calls;
      std::vector<int64_t> start(made.ranks);
      for (uint32_t r = 0; r < made.ranks; ++r) {
        double more = 0;
        const bool late = made.rotating ? s % made.ranks == r : made.straggler == r;
        if (late && (made.slow_step < 0 || made.slow_step == s)) more = made.excess;
        if (made.late_at_first) more *= c == 0 ? calls : 0;
        const double part = share * (1 + more + made.noise * normal(random));
        start[r] = now[r] + static_cast<int64_t>(part * static_cast<double>(made.step_ns));
        work[r].push_back({{now[r]}, {start[r]}});
      }
      const int64_t last = std::ranges::max(start);
      for (uint32_t r = 0; r < made.ranks; ++r) {
        now[r] = last + (small ? kSmallTransfer + jitter(random)
                               : kLargeTransfer + ring(random) + r * made.ring_ns);
        job.digests[r].calls.push_back({.start = {start[r]},
                                        .end = {now[r]},
                                        .signature = small ? 0U : 1U,
                                        .step = s,
                                        .event = static_cast<uint32_t>(sequence),
                                        .lane = 0,
                                        .sequence = made.sequences ? sequence : -1});
        waits[r].push_back({{start[r]}, {now[r]}});
      }
    }
    for (uint32_t r = 0; r < made.ranks; ++r) job.digests[r].steps.back().end = {now[r]};
  }
  std::uniform_real_distribution<double> drift(-made.drift, made.drift);
  for (uint32_t r = 0; r < made.ranks; ++r) {
    job.drifts.push_back(r == 0 || made.drift == 0 ? 0 : drift(random));
    if (job.drifts[r] != 0) Slow(job.drifts[r], job.digests[r], work[r], waits[r]);
    RankDigest& digest = job.digests[r];
    digest.compute = IntervalSet::Of(work[r]);
    digest.exposed = IntervalSet::Of(waits[r]).Subtract(digest.compute);
    for (RankStep& step : digest.steps) {
      step.compute = digest.compute.Clip({step.start, step.end}).length();
      step.exposed = digest.exposed.Clip({step.start, step.end}).length();
      step.idle = step.end - step.start - step.compute - step.exposed;
    }
  }
  return job;
}

Job AnalyzeMade(const MadeRanks& made) {
  std::vector<size_t> members;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < made.digests.size(); ++i) {
    members.push_back(i);
    numbers.push_back(*made.digests[i].rank);
  }
  return AnalyzeJob(made.digests, members, numbers, made.digests.front().world_size.value_or(0));
}

}  // namespace stepscope
