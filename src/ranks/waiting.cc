#include "ranks/waiting.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ranks/statistics.h"

namespace stepscope {
namespace {

constexpr uint64_t kLeastComplete = 5;
constexpr double kMostlyWaiting = 0.5, kMostlyTransfer = 0.8;
constexpr double kClockShare = 0.1;            // of the transfer that the clocks' error may be
constexpr int64_t kBandwidthBytes = 16 << 20;  // below, latency decides

TimeSpread SpreadOf(const std::vector<int64_t>& times) {
  TimeSpread spread;
  if (times.empty()) return spread;
  spread.median.ns = Median(times);
  spread.p10.ns = Quantile(times, 0.1);
  spread.p90.ns = Quantile(times, 0.9);
  spread.max.ns = std::ranges::max(times);
  for (const int64_t time : times) spread.sum.ns += time;
  return spread;
}

// What the calls of one signature add up to.
struct Sums {
  JobCollective row;
  std::vector<int64_t> by_clock, shortest, waits, skews;
  int64_t duration = 0, wait = 0, error = 0;
  std::vector<double> imbalance, throughput;  // of all_to_allv
};

class WaitingAnalysis {
 public:
  WaitingAnalysis(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job)
      : ranks_(ranks), matching_(matching), job_(job), waited_(ranks.size()) {}

  void Run(std::vector<IntervalSet>& waits) {
    for (const MatchedCall& call : matching_.calls) Add(call);
    for (auto& [key, sums] : sums_) job_.collectives.push_back(Finish(sums));
    std::ranges::stable_sort(job_.collectives, [](const JobCollective& a, const JobCollective& b) {
      const auto time = [](const JobCollective& row) {
        return (row.transfer ? row.transfer->sum : DurationNs{}) + row.wait.sum;
      };
      return time(a) > time(b);
    });
    waits.clear();
    for (std::vector<Interval>& waited : waited_)
      waits.push_back(IntervalSet::Of(std::move(waited)));
  }

 private:
  using Key = std::tuple<uint32_t, CollectiveType, std::string, int64_t, int64_t, std::string>;

  void Add(const MatchedCall& call);
  void AddRanks(const MatchedCall& call, const CallTimes& times, Sums& sums);
  void AddUneven(const MatchedCall& call, const CallTimes& times, Sums& sums) const;
  JobCollective Finish(Sums& sums) const;
  void AddBandwidth(const Sums& sums, JobCollective& row) const;
  bool SameHost(uint32_t group) const;

  std::span<const RankDigest* const> ranks_;
  const Matching& matching_;
  Job& job_;
  std::map<Key, Sums> sums_;
  std::vector<std::vector<Interval>> waited_;
};

void WaitingAnalysis::Add(const MatchedCall& call) {
  const CallSignature& signature = matching_.signatures[call.signature];
  const CallTimes times = TimesOf(call, matching_, job_.clocks, ranks_);
  Sums& sums = sums_[{call.group, signature.type, signature.dtype, signature.bytes,
                      signature.channel, signature.instruction}];
  sums.row.group = call.group;
  sums.row.type = signature.type;
  sums.row.dtype = signature.dtype;
  sums.row.bytes = signature.bytes;
  sums.row.channel = signature.channel;
  sums.row.instruction = signature.instruction;
  ++sums.row.calls;
  if (times.complete) ++sums.row.complete;
  if (!times.all_present || times.present < 2) return;
  if (signature.type == CollectiveType::kAllToAllV) return AddUneven(call, times, sums);
  sums.by_clock.push_back(std::max<int64_t>(0, times.last_end - times.last_start));
  if (!Synchronises(signature.type) && !IsPointToPoint(signature.type)) return;
  sums.shortest.push_back(times.shortest);
  sums.skews.push_back(times.last_start - times.first_start);
  AddRanks(call, times, sums);
}

void WaitingAnalysis::AddRanks(const MatchedCall& call, const CallTimes& times, Sums& sums) {
  // Stages of a pipeline come one after the other: the last of two is no straggler.
  if (!IsPointToPoint(sums.row.type)) {
    ++job_.judged_calls;
    if (times.last != kNoRow) ++job_.ranks[times.last].last;
    if (times.first != kNoRow) ++job_.ranks[times.first].first;
  }
  for (uint32_t p = 0; p < ranks_.size(); ++p) {
    if (call.calls[p] == kNoRow) continue;
    const RankCall& own = ranks_[p]->calls[call.calls[p]];
    const int64_t duration = (own.end - own.start).ns;
    // Where the clocks cannot be aligned, what is longer than the shortest is waiting.
    const int64_t late = job_.clocks.ranks[p].aligned
                             ? times.last_start - job_.clocks.Start(p, *ranks_[p], own)
                             : duration - times.shortest;
    const int64_t wait = std::clamp<int64_t>(late, 0, duration);
    sums.waits.push_back(wait);
    sums.wait += wait;
    sums.duration += duration;
    sums.error = std::max(sums.error, job_.clocks.ranks[p].error_ns);
    job_.ranks[p].wait.ns += wait;
    if (wait > 0) waited_[p].push_back({own.start, own.start + DurationNs{wait}});
  }
}

// Ranks that send different amounts end when they have all: the whole time counts.
void WaitingAnalysis::AddUneven(const MatchedCall& call, const CallTimes& times, Sums& sums) const {
  double sum = 0, most = 0, count = 0;
  for (uint32_t p = 0; p < ranks_.size(); ++p) {
    if (call.calls[p] == kNoRow) continue;
    const RankDigest& rank = *ranks_[p];
    const int64_t bytes = rank.signatures[rank.calls[call.calls[p]].signature].bytes;
    if (bytes < 0) return;
    sum += static_cast<double>(bytes);
    most = std::max(most, static_cast<double>(bytes));
    ++count;
  }
  const int64_t whole = times.last_end - times.first_start;
  sums.by_clock.push_back(std::max<int64_t>(whole, 0));
  if (sum <= 0 || whole <= 0) return;
  sums.imbalance.push_back(most * count / sum);
  sums.throughput.push_back(sum * 1e9 / static_cast<double>(whole));
}

bool WaitingAnalysis::SameHost(uint32_t group) const {
  const std::vector<uint32_t>& members = job_.groups[group].members;
  return std::ranges::all_of(members, [&](uint32_t p) {
    return !ranks_[p]->host.empty() && ranks_[p]->host == ranks_[members.front()]->host;
  });
}

JobCollective WaitingAnalysis::Finish(Sums& sums) const {
  JobCollective row = std::move(sums.row);
  row.wait = SpreadOf(sums.waits);
  row.skew = SpreadOf(sums.skews);
  const TimeSpread clock = SpreadOf(sums.by_clock);
  const bool aligned = std::ranges::all_of(
      job_.groups[row.group].members, [&](uint32_t p) { return job_.clocks.ranks[p].aligned; });
  const double allowed = kClockShare * static_cast<double>(clock.median.ns);
  row.by_clock = !sums.by_clock.empty() && aligned &&
                 (SameHost(row.group) || static_cast<double>(sums.error) < allowed);
  if (row.by_clock) {
    row.transfer = clock;
  } else if (!sums.shortest.empty()) {
    row.transfer = SpreadOf(sums.shortest);
  }
  AddBandwidth(sums, row);
  if (row.complete >= kLeastComplete && sums.duration > 0) {
    const double waiting = static_cast<double>(sums.wait) / static_cast<double>(sums.duration);
    row.cost = waiting > kMostlyWaiting        ? CostKind::kArrivalSkew
               : 1 - waiting > kMostlyTransfer ? CostKind::kTransfer
                                               : CostKind::kMixed;
  }
  return row;
}

void WaitingAnalysis::AddBandwidth(const Sums& sums, JobCollective& row) const {
  const RankGroup& group = job_.groups[row.group].facts;
  if (row.type == CollectiveType::kAllToAllV) {
    if (sums.throughput.empty()) return;
    row.algorithm_bandwidth = Median(sums.throughput);
    row.bus_bandwidth = *row.algorithm_bandwidth * BusFactor(row.type, group.size);
    row.imbalance = Median(sums.imbalance);
    return;
  }
  // A missing member may be the one that all others wait for.
  if (!row.transfer || row.transfer->median.ns <= 0 || row.bytes <= 0 || row.complete == 0) return;
  row.algorithm_bandwidth =
      static_cast<double>(row.bytes) * 1e9 / static_cast<double>(row.transfer->median.ns);
  row.bus_bandwidth = *row.algorithm_bandwidth * BusFactor(row.type, group.size);
  const std::string& device = ranks_[job_.groups[row.group].members.front()]->device;
  const double peak = group.backend == "nccl" ? LinkPeak(device) : 0;
  if (peak > 0 && row.bytes >= kBandwidthBytes) row.peak = peak;
}

}  // namespace

CallTimes TimesOf(const MatchedCall& call, const Matching& matching, const Clocks& clocks,
                  std::span<const RankDigest* const> ranks) {
  CallTimes times;
  times.first_start = times.shortest = INT64_MAX;
  times.last_start = times.last_end = INT64_MIN;
  int64_t second_last = INT64_MIN, second_first = INT64_MAX, error = 0;
  for (uint32_t p = 0; p < ranks.size(); ++p) {
    if (call.calls[p] == kNoRow) continue;
    const RankCall& own = ranks[p]->calls[call.calls[p]];
    const int64_t start = clocks.Start(p, *ranks[p], own);
    ++times.present;
    times.shortest = std::min(times.shortest, (own.end - own.start).ns);
    times.last_end = std::max(times.last_end, clocks.End(p, *ranks[p], own));
    error = std::max(error, clocks.ranks[p].error_ns);
    if (!clocks.ranks[p].aligned) error = INT64_MAX / 4;
    if (start > times.last_start) {
      second_last = times.last_start;
      times.last_start = start;
      times.last = p;
    } else {
      second_last = std::max(second_last, start);
    }
    if (start < times.first_start) {
      second_first = times.first_start;
      times.first_start = start;
      times.first = p;
    } else {
      second_first = std::min(second_first, start);
    }
  }
  const JobGroup& group = matching.groups[call.group];
  const bool pair = IsPointToPoint(matching.signatures[call.signature].type);
  times.all_present = times.present == (pair ? 2 : group.members.size());
  times.complete = times.all_present && (pair || group.complete);
  if (times.present < 2 || times.last_start - second_last <= error) times.last = kNoRow;
  if (times.present < 2 || second_first - times.first_start <= error) times.first = kNoRow;
  return times;
}

void AnalyzeWaiting(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job,
                    std::vector<IntervalSet>& waits) {
  WaitingAnalysis(ranks, matching, job).Run(waits);
}

}  // namespace stepscope
