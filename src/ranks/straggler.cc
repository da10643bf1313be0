#include "ranks/straggler.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ranks/replay.h"
#include "ranks/statistics.h"
#include "ranks/waiting.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

constexpr SayFrom<kRanksTexts> Say;

constexpr double kWorthNaming = 0.02;  // of the step
constexpr double kOftenLast = 0.5;     // of the calls
constexpr double kOftenSlowest = 0.6;  // of the steps
constexpr size_t kLeastSteps = 3;
// How many standard errors the excess must be: more where few steps tell what they are.
double NeededErrors(size_t steps) { return 3 + 6 / std::sqrt(static_cast<double>(steps)); }

constexpr double kSlowStepShare = 0.1;  // of the step, that one step's excess must be
constexpr double kSlowStepErrors = 8;   // times the scatter of the others

// Rows of the ranks' steps that are one step of the job.
struct CommonStep {
  int64_t number = 0;
  std::vector<uint32_t> rows;  // by position
};

std::vector<CommonStep> CommonSteps(std::span<const RankDigest* const> ranks) {
  const bool numbered =
      std::ranges::all_of(ranks, [](const RankDigest* rank) { return rank->numbered; });
  std::map<int64_t, CommonStep> steps;
  for (const RankDigest* rank : ranks) {
    for (uint32_t s = 0; s < rank->steps.size(); ++s) {
      const int64_t number = numbered ? rank->steps[s].number : static_cast<int64_t>(s);
      CommonStep& step = steps[number];
      step.number = number;
      if (rank->steps[s].used) step.rows.push_back(s);
    }
  }
  std::vector<CommonStep> common;
  for (auto& [number, step] : steps) {
    if (step.rows.size() == ranks.size()) common.push_back(std::move(step));
  }
  return common;
}

// The median of all numbers but one.
int64_t MedianOfOthers(const std::vector<DurationNs>& row, size_t but) {
  std::vector<int64_t> others;
  for (size_t p = 0; p < row.size(); ++p) {
    if (p != but) others.push_back(row[p].ns);
  }
  return Median(std::move(others));
}

struct Excess {
  std::vector<int64_t> by_step;  // own time less the median of the others'
  int64_t median = 0;
  double errors = 0;   // the median in standard errors of the steps
  size_t slowest = 0;  // steps in which no rank needs longer
};

Excess ExcessOf(const Lateness& lateness, uint32_t p) {
  Excess excess;
  double sum = 0, squares = 0;
  for (const std::vector<DurationNs>& own : lateness.own) {
    const int64_t over = own[p].ns - MedianOfOthers(own, p);
    excess.by_step.push_back(over);
    if (std::ranges::max(own) == own[p]) ++excess.slowest;
    sum += static_cast<double>(over);
    squares += static_cast<double>(over) * static_cast<double>(over);
  }
  const auto steps = static_cast<double>(excess.by_step.size());
  if (steps < 2) return excess;
  excess.median = Median(excess.by_step);
  const double mean = sum / steps;
  const double deviation = std::sqrt(std::max(0.0, squares / steps - mean * mean));
  const double robust = kSigmaOfDeviation * static_cast<double>(Deviation(excess.by_step));
  // One step out of line must not hide the others: a third of the plain deviation is enough to
  // keep a chance agreement of few steps from looking certain.
  const double scatter = std::max({robust, deviation / 3, 1.0});
  excess.errors = static_cast<double>(excess.median) / (scatter / std::sqrt(steps));
  return excess;
}

void AddScores(Job& job) {
  std::vector<int64_t> own;
  for (const JobRank& rank : job.ranks) own.push_back(rank.own.ns);
  const int64_t middle = Median(own), deviation = Deviation(own);
  if (own.size() < 3 || deviation == 0) return;
  for (JobRank& rank : job.ranks) {
    rank.z = static_cast<double>(rank.own.ns - middle) /
             (kSigmaOfDeviation * static_cast<double>(deviation));
  }
}

void FindSlowSteps(Job& job, const std::vector<Excess>& all) {
  for (uint32_t p = 0; p < all.size(); ++p) {
    const Excess& excess = all[p];
    if (excess.by_step.size() < kLeastSteps) continue;
    const double scatter = kSigmaOfDeviation * static_cast<double>(Deviation(excess.by_step));
    for (size_t s = 0; s < excess.by_step.size(); ++s) {
      const int64_t over = excess.by_step[s] - std::max<int64_t>(excess.median, 0);
      if (static_cast<double>(over) < kSlowStepShare * static_cast<double>(job.step.ns) ||
          static_cast<double>(over) < kSlowStepErrors * scatter) {
        continue;
      }
      job.slow_steps.push_back({job.lateness.steps[s], job.ranks[p].rank, DurationNs{over}});
    }
  }
  std::ranges::sort(job.slow_steps, [](const SlowStep& a, const SlowStep& b) {
    return std::tie(b.excess, a.step, a.rank) < std::tie(a.excess, b.step, b.rank);
  });
}

// At most the way to the median rank, at least what the replay without the straggler says; without
// calls to replay, the way to the next rank.
void AddGain(std::span<const RankDigest* const> ranks, const Matching& matching,
             const Lateness& lateness, Straggler& straggler) {
  int64_t high = 0, low = 0;
  for (const std::vector<DurationNs>& own : lateness.own) {
    std::vector<int64_t> sorted;
    for (const DurationNs time : own) sorted.push_back(time.ns);
    std::ranges::sort(sorted);
    high += sorted.back() - Median(sorted);
    int64_t next = 0;
    for (size_t p = 0; p < own.size(); ++p) {
      if (p != straggler.position) next = std::max(next, own[p].ns);
    }
    low += std::max<int64_t>(0, own[straggler.position].ns - next);
  }
  const auto steps = static_cast<int64_t>(lateness.own.size());
  straggler.gain_hi.ns = std::max(high, low) / steps;
  straggler.gain_lo.ns = low / steps;
  const auto used = static_cast<int64_t>(ranks[straggler.position]->used_steps());
  if (const auto gain = ReplayWithout(ranks, matching, straggler.position); gain && used > 0) {
    straggler.gain_lo.ns = std::min(gain->ns / used, straggler.gain_hi.ns);
  }
}

Message SentenceOf(const Straggler& straggler) {
  const int64_t rank = straggler.rank;
  switch (straggler.cause) {
    case StragglerCause::kInput:
      return straggler.region.empty()
                 ? Say("ranks.late.input", rank, straggler.excess)
                 : Say("ranks.late.input-of", rank, straggler.excess, straggler.region);
    case StragglerCause::kMoreWork:
      return Say("ranks.late.work", rank, straggler.excess);
    case StragglerCause::kSlowerKernels:
      return Say("ranks.late.kernels", rank, straggler.excess, straggler.factor.value_or(1));
    case StragglerCause::kLaunch:
      return Say("ranks.late.launch", rank, straggler.excess);
    case StragglerCause::kCopies:
      return Say("ranks.late.copies", rank, straggler.excess);
    case StragglerCause::kUnknown:
      break;
  }
  return straggler.region.empty()
             ? Say("ranks.late.unknown", rank, straggler.excess)
             : Say("ranks.late.region", rank, straggler.excess, straggler.region);
}

}  // namespace

void FindOwnTimes(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job) {
  Lateness& lateness = job.lateness;
  std::vector<std::map<uint32_t, size_t>> row_of(ranks.size());  // step of the rank to row here
  for (const CommonStep& step : CommonSteps(ranks)) {
    lateness.steps.push_back(step.number);
    lateness.late.emplace_back(ranks.size());
    std::vector<DurationNs>& own = lateness.own.emplace_back();
    for (uint32_t p = 0; p < ranks.size(); ++p) {
      const RankStep& row = ranks[p]->steps[step.rows[p]];
      own.push_back(row.end - row.start - row.exposed);
      row_of[p][step.rows[p]] = lateness.steps.size() - 1;
    }
  }
  for (const MatchedCall& call : matching.calls) {
    if (!Synchronises(matching.signatures[call.signature].type)) continue;
    const CallTimes times = TimesOf(call, matching, job.clocks, ranks);
    if (!times.all_present || times.present < 2) continue;
    for (uint32_t p = 0; p < ranks.size(); ++p) {
      if (call.calls[p] == kNoRow || !job.clocks.ranks[p].aligned) continue;
      const RankCall& own = ranks[p]->calls[call.calls[p]];
      const auto at = row_of[p].find(own.step);
      if (at == row_of[p].end()) continue;
      lateness.late[at->second][p].ns += job.clocks.Start(p, *ranks[p], own) - times.first_start;
    }
  }
}

void FindStraggler(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job) {
  AddScores(job);
  const size_t steps = job.lateness.own.size();
  if (ranks.size() < 2 || steps == 0) return;
  std::vector<Excess> all;
  for (uint32_t p = 0; p < ranks.size(); ++p) all.push_back(ExcessOf(job.lateness, p));
  FindSlowSteps(job, all);
  const auto most = std::ranges::max_element(all, {}, &Excess::median);
  const auto p = static_cast<uint32_t>(most - all.begin());
  if (most->median <= 0) return;
  Straggler straggler;
  straggler.position = p;
  straggler.rank = job.ranks[p].rank;
  straggler.excess.ns = most->median;
  straggler.last_share = job.judged_calls == 0 ? 0
                                               : static_cast<double>(job.ranks[p].last) /
                                                     static_cast<double>(job.judged_calls);
  const auto of_steps = static_cast<double>(steps);
  straggler.consistent =
      steps >= kLeastSteps && most->slowest >= kLeastSteps &&
      static_cast<double>(most->slowest) >= kOftenSlowest * of_steps &&
      static_cast<double>(most->median) > kWorthNaming * static_cast<double>(job.step.ns) &&
      straggler.last_share > kOftenLast && most->errors > NeededErrors(steps);
  if (!straggler.consistent &&
      static_cast<double>(most->median) <= kWorthNaming * static_cast<double>(job.step.ns)) {
    return;
  }
  AddGain(ranks, matching, job.lateness, straggler);
  if (straggler.consistent) {
    FindCause(ranks, straggler);
    straggler.sentence = SentenceOf(straggler);
  } else {
    straggler.sentence = Say("ranks.rotates", job.skew_per_step);
  }
  job.straggler = std::move(straggler);
}

}  // namespace stepscope
