#include "ranks/analyze_job.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ranks/critical_path.h"
#include "ranks/pipeline.h"
#include "ranks/statistics.h"
#include "ranks/straggler.h"
#include "ranks/waiting.h"

namespace stepscope {
namespace {

JobRank RowOf(const RankDigest& digest, int64_t number, const IntervalSet& waits) {
  JobRank row;
  row.rank = number;
  row.path = digest.path;
  row.host = digest.host;
  row.steps = digest.used_steps();
  if (row.steps == 0) return row;
  const IntervalSet exposed_waits = digest.exposed.Intersect(waits);
  std::vector<int64_t> steps, own;
  for (const RankStep& step : digest.steps) {
    if (!step.used) continue;
    steps.push_back((step.end - step.start).ns);
    own.push_back((step.end - step.start - step.exposed).ns);
    const DurationNs wait = OverlapOf(exposed_waits, {step.start, step.end});
    row.exposed_wait += wait;
    row.exposed_transfer += step.exposed - wait;
    row.compute += step.compute;
    row.copy += step.copy;
    row.input += step.input;
    row.idle += step.idle;
  }
  for (DurationNs JobRank::* part :
       {&JobRank::exposed_wait, &JobRank::exposed_transfer, &JobRank::compute, &JobRank::copy,
        &JobRank::input, &JobRank::idle}) {
    (row.*part).ns /= row.steps;
  }
  row.step.ns = Median(std::move(steps));
  row.own.ns = Median(std::move(own));
  return row;
}

void AddCalls(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job) {
  int64_t origin = INT64_MAX;
  for (const MatchedCall& call : matching.calls) {
    origin = std::min(origin, TimesOf(call, matching, job.clocks, ranks).first_start);
  }
  for (const MatchedCall& call : matching.calls) {
    const CallSignature& signature = matching.signatures[call.signature];
    JobCall& drawn = job.calls.emplace_back();
    const auto row = std::ranges::find_if(job.collectives, [&](const JobCollective& other) {
      return other.group == call.group && other.type == signature.type &&
             other.dtype == signature.dtype && other.bytes == signature.bytes &&
             other.channel == signature.channel && other.instruction == signature.instruction;
    });
    drawn.collective = static_cast<uint32_t>(row - job.collectives.begin());
    for (uint32_t p = 0; p < ranks.size(); ++p) {
      drawn.of_rank.emplace_back();
      drawn.events.emplace_back();
      if (call.calls[p] == kNoRow) continue;
      const RankCall& own = ranks[p]->calls[call.calls[p]];
      drawn.of_rank.back() = {{job.clocks.Start(p, *ranks[p], own) - origin},
                              {job.clocks.End(p, *ranks[p], own) - origin}};
      drawn.events.back() = own.event;
      if (own.step != kNoRow && !drawn.in_step) {
        drawn.in_step = true;
        drawn.step = ranks[p]->steps[own.step].number;
      }
    }
  }
}

// The waits of the ranks whose clocks are known and whose sends and receives nearly all have their
// other side; null for the others.
std::vector<const IntervalSet*> JoinedWaits(std::span<const RankDigest* const> ranks,
                                            const Matching& matching, const Clocks& clocks,
                                            const std::vector<IntervalSet>& waits) {
  constexpr double kNearlyAll = 0.95;
  std::vector<double> joined(ranks.size());
  for (const MatchedCall& call : matching.calls) {
    if (!IsPointToPoint(matching.signatures[call.signature].type)) continue;
    for (size_t p = 0; p < ranks.size(); ++p) joined[p] += call.calls[p] == kNoRow ? 0 : 1;
  }
  std::vector<const IntervalSet*> known;
  for (size_t p = 0; p < ranks.size(); ++p) {
    const auto all =
        static_cast<double>(std::ranges::count_if(ranks[p]->calls, [&](const RankCall& call) {
          return IsPointToPoint(ranks[p]->signatures[call.signature].type);
        }));
    known.push_back(clocks.ranks[p].aligned && joined[p] >= kNearlyAll * all ? &waits[p] : nullptr);
  }
  return known;
}

// The rank that needs longest by itself; without steps the one that waits least.
uint32_t PaceOf(const Job& job) {
  const auto key = [](const JobRank& rank) {
    return std::tuple(rank.counts, rank.own, DurationNs{-rank.wait.ns});
  };
  const auto most = std::ranges::max_element(job.ranks, {}, key);
  return static_cast<uint32_t>(most - job.ranks.begin());
}

}  // namespace

Job AnalyzeJob(std::span<const RankDigest> digests, std::vector<size_t> members,
               std::vector<int64_t> numbers, int64_t world_size) {
  Job job;
  job.world_size = world_size;
  std::vector<const RankDigest*> ranks;
  for (const size_t member : members) ranks.push_back(&digests[member]);
  job.members = std::move(members);
  Matching matching = MatchCalls(ranks, numbers, world_size);
  job.clocks = AlignClocks(ranks, matching);
  job.groups = matching.groups;
  job.ranks.resize(ranks.size());
  std::vector<IntervalSet> waits;
  AnalyzeWaiting(ranks, matching, job, waits);
  std::vector<int64_t> steps;
  for (uint32_t p = 0; p < ranks.size(); ++p) {
    JobRank row = RowOf(*ranks[p], numbers[p], waits[p]);
    row.wait = job.ranks[p].wait;
    row.last = job.ranks[p].last;
    row.first = job.ranks[p].first;
    steps.push_back(row.step.ns);
    job.ranks[p] = std::move(row);
  }
  job.step.ns = Median(std::move(steps));
  for (const JobCollective& row : job.collectives) job.skew_per_step += row.skew.sum;
  if (job.ranks.front().steps > 0) job.skew_per_step.ns /= job.ranks.front().steps;
  FindOwnTimes(ranks, matching, job);
  FindStraggler(ranks, matching, job);
  job.pace = job.straggler && job.straggler->consistent ? job.straggler->position : PaceOf(job);
  job.pipeline = FindPipeline(ranks, JoinedWaits(ranks, matching, job.clocks, waits));
  FindCriticalPath(ranks, matching, job);
  AddCalls(ranks, matching, job);
  // What a damaged file lost is no difference between the ranks' programs.
  std::erase_if(matching.mismatches, [&](const Mismatch& mismatch) {
    const size_t p =
        static_cast<size_t>(std::ranges::find(numbers, mismatch.rank) - numbers.begin());
    return ranks[p]->cut || ranks[matching.groups[mismatch.group].members.front()]->cut;
  });
  job.mismatches = std::move(matching.mismatches);
  return job;
}

}  // namespace stepscope
