#include "ranks/straggler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ranks/replay.h"
#include "ranks/statistics.h"
#include "ranks/student.h"
#include "ranks/waiting.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

constexpr SayFrom<kRanksTexts> Say;

constexpr double kWorthNaming = 0.02;  // of the step
constexpr double kMostOf = 0.5;        // of the calls, or of what all lose by waiting
constexpr double kOftenSlowest = 0.6;  // of the steps
constexpr size_t kLeastSteps = 3;
constexpr double kTrimmed = 0.2;  // of the steps, on both sides
constexpr double kTests = 2;      // that may name a rank

constexpr double kSlowStepShare = 0.1;  // of the step, that one step's excess must be
constexpr double kSlowStepErrors = 8;   // times the scatter of the others

// Rows of the ranks' steps that are one step of the job.
struct CommonStep {
  int64_t number = 0;
  size_t counted = 0;          // ranks whose own time counts in it
  std::vector<uint32_t> rows;  // by position; kNoRow where the rank does not have it
};

// Steps, by number, of which a rank lacks calls that others have: its own time would hold the time
// in them. Only files that are cut lack calls that were made.
std::set<int64_t> StepsThatLack(std::span<const RankDigest* const> ranks, const Matching& matching,
                                uint32_t p) {
  std::set<int64_t> lacking;
  for (const MatchedCall& call : matching.calls) {
    if (call.calls[p] != kNoRow) continue;
    if (IsPointToPoint(matching.signatures[call.signature].type)) continue;
    const std::vector<uint32_t>& members = matching.groups[call.group].members;
    if (std::ranges::find(members, p) == members.end()) continue;
    for (uint32_t q = 0; q < ranks.size(); ++q) {
      if (call.calls[q] == kNoRow) continue;
      const uint32_t step = ranks[q]->calls[call.calls[q]].step;
      if (step != kNoRow) lacking.insert(ranks[q]->steps[step].number);
    }
  }
  return lacking;
}

std::vector<CommonStep> CommonSteps(std::span<const RankDigest* const> ranks,
                                    const Matching& matching, Job& job) {
  const bool numbered = std::ranges::all_of(
      ranks, [](const RankDigest* rank) { return rank->numbered || rank->cut; });
  std::map<int64_t, CommonStep> steps;
  size_t counted = 0;
  for (uint32_t p = 0; p < ranks.size(); ++p) {
    const RankDigest& rank = *ranks[p];
    std::map<int64_t, uint32_t> rows;
    for (uint32_t s = 0; s < rank.steps.size(); ++s) {
      if (rank.steps[s].used) rows[numbered ? rank.steps[s].number : static_cast<int64_t>(s)] = s;
    }
    if (rank.cut) {
      const bool alike =
          numbered && rank.numbered && rank.device.empty() == ranks[p == 0 ? 1 : 0]->device.empty();
      for (const int64_t number : StepsThatLack(ranks, matching, p)) rows.erase(number);
      job.ranks[p].counts = alike && rows.size() >= kLeastSteps;
    }
    if (!job.ranks[p].counts) continue;
    ++counted;
    for (const auto& [number, row] : rows) {
      CommonStep& step = steps[number];
      step.number = number;
      step.rows.resize(ranks.size(), kNoRow);
      step.rows[p] = row;
      ++step.counted;
    }
  }
  std::vector<CommonStep> common;
  for (auto& [number, step] : steps) {
    if (step.counted == counted) common.push_back(std::move(step));
  }
  return common;
}

// The median of all numbers but one.
int64_t MedianOfOthers(const std::vector<DurationNs>& row, size_t but) {
  std::vector<int64_t> others;
  for (size_t p = 0; p < row.size(); ++p) {
    if (p != but && row[p] != kNoOwnTime) others.push_back(row[p].ns);
  }
  return Median(std::move(others));
}

struct Excess {
  std::vector<int64_t> by_step;  // own time less the median of the others'
  int64_t median = 0;
  double mean = 0, variance = 0;
  size_t slowest = 0;  // steps in which no rank needs longer
};

Excess ExcessOf(const Lateness& lateness, uint32_t p) {
  Excess excess;
  double sum = 0, squares = 0;
  for (const std::vector<DurationNs>& own : lateness.own) {
    if (own[p] == kNoOwnTime) return {};
    const int64_t over = own[p].ns - MedianOfOthers(own, p);
    excess.by_step.push_back(over);
    if (std::ranges::max(own) == own[p]) ++excess.slowest;
    sum += static_cast<double>(over);
  }
  const auto steps = static_cast<double>(excess.by_step.size());
  if (steps < 2) return excess;
  excess.median = Median(excess.by_step);
  excess.mean = sum / steps;
  for (const int64_t over : excess.by_step) {
    squares += std::pow(static_cast<double>(over) - excess.mean, 2);
  }
  excess.variance = std::max(1.0, squares / (steps - 1));
  return excess;
}

// Whether the steps' excess is beyond chance: Student's test with the scatter of the rank's steps
// or of the others', whichever is larger. Few steps of one rank may agree by chance; those of all
// ranks seldom do.
bool IsBeyondScatter(const std::vector<Excess>& all, uint32_t p) {
  const auto steps = static_cast<double>(all[p].by_step.size());
  double variance = 0, others = 0;
  for (uint32_t q = 0; q < all.size(); ++q) {
    if (q == p || all[q].by_step.empty()) continue;
    variance += all[q].variance;
    ++others;
  }
  if (others == 0) return false;
  variance = std::max(all[p].variance, variance / others);
  const double tail = kWrongJobs / (kTests * (others + 1));
  return all[p].mean / std::sqrt(variance / steps) > StudentQuantile(tail, others * (steps - 1));
}

// The same without the steps that are furthest out (Yuen's test), so that a slow step of this or
// another rank does not hide that all of them are late.
bool IsBeyondScatterTrimmed(const std::vector<Excess>& all, uint32_t p) {
  std::vector<int64_t> sorted = all[p].by_step;
  const size_t out = static_cast<size_t>(kTrimmed * static_cast<double>(sorted.size()));
  if (out == 0 || sorted.size() < 2 * out + 2) return false;
  std::ranges::sort(sorted);
  const size_t last = sorted.size() - out - 1;
  const auto steps = static_cast<double>(sorted.size()), kept = static_cast<double>(last - out + 1);
  double trimmed = 0, mean = 0, squares = 0;
  for (size_t i = out; i <= last; ++i) trimmed += static_cast<double>(sorted[i]) / kept;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = sorted[std::clamp(i, out, last)];
    mean += static_cast<double>(sorted[i]) / steps;
  }
  for (const int64_t over : sorted) squares += std::pow(static_cast<double>(over) - mean, 2);
  const double error = std::sqrt(std::max(1.0, squares / (kept * (kept - 1))));
  const auto counted = static_cast<double>(
      std::ranges::count_if(all, [](const Excess& one) { return !one.by_step.empty(); }));
  return trimmed / error > StudentQuantile(kWrongJobs / (kTests * counted), kept - 1);
}

void AddScores(Job& job) {
  std::vector<int64_t> own;
  for (const JobRank& rank : job.ranks) {
    if (rank.counts) own.push_back(rank.own.ns);
  }
  const int64_t middle = Median(own), deviation = Deviation(own);
  if (own.size() < 3 || deviation == 0) return;
  for (JobRank& rank : job.ranks) {
    if (!rank.counts) continue;
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

// What all ranks lose to the slowest, over all steps: against the median rank, and against the next
// one where the slowest is this rank.
struct Loss {
  int64_t to_median = 0, to_next = 0;
};
Loss LossTo(const Lateness& lateness, uint32_t p) {
  Loss loss;
  for (const std::vector<DurationNs>& own : lateness.own) {
    std::vector<int64_t> sorted;
    int64_t next = 0;
    for (size_t q = 0; q < own.size(); ++q) {
      if (own[q] == kNoOwnTime) continue;
      sorted.push_back(own[q].ns);
      if (q != p) next = std::max(next, own[q].ns);
    }
    loss.to_median += std::ranges::max(sorted) - Median(sorted);
    loss.to_next += std::max<int64_t>(0, own[p].ns - next);
  }
  return loss;
}

// At most the way to the median rank, at least what the replay without the straggler says; without
// calls to replay, the way to the next rank.
void AddGain(std::span<const RankDigest* const> ranks, const Matching& matching,
             const Lateness& lateness, const Loss& loss, Straggler& straggler) {
  const auto steps = static_cast<int64_t>(lateness.own.size());
  straggler.gain_hi.ns = std::max(loss.to_median, loss.to_next) / steps;
  straggler.gain_lo.ns = loss.to_next / steps;
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
  for (const CommonStep& step : CommonSteps(ranks, matching, job)) {
    lateness.steps.push_back(step.number);
    lateness.late.emplace_back(ranks.size());
    std::vector<DurationNs>& own = lateness.own.emplace_back(ranks.size(), kNoOwnTime);
    for (uint32_t p = 0; p < ranks.size(); ++p) {
      if (step.rows[p] == kNoRow) continue;
      const RankStep& row = ranks[p]->steps[step.rows[p]];
      own[p] = row.end - row.start - row.exposed;
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
  // Who is late before one call of many is last to that one alone, and yet all lose by it.
  const Loss loss = LossTo(job.lateness, p);
  const bool costs_most =
      static_cast<double>(loss.to_next) > kMostOf * static_cast<double>(loss.to_median);
  const auto of_steps = static_cast<double>(steps);
  straggler.consistent =
      steps >= kLeastSteps && most->slowest >= kLeastSteps &&
      static_cast<double>(most->slowest) >= kOftenSlowest * of_steps &&
      static_cast<double>(most->median) > kWorthNaming * static_cast<double>(job.step.ns) &&
      (straggler.last_share > kMostOf || (job.judged_calls > 0 && costs_most)) &&
      (IsBeyondScatter(all, p) || IsBeyondScatterTrimmed(all, p));
  if (!straggler.consistent &&
      static_cast<double>(most->median) <= kWorthNaming * static_cast<double>(job.step.ns)) {
    return;
  }
  AddGain(ranks, matching, job.lateness, loss, straggler);
  if (straggler.consistent) {
    FindCause(ranks, straggler);
    straggler.sentence = SentenceOf(straggler);
  } else {
    straggler.sentence = Say("ranks.rotates", job.skew_per_step);
  }
  job.straggler = std::move(straggler);
}

}  // namespace stepscope
