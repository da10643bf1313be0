#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "ranks/statistics.h"
#include "ranks/straggler.h"

namespace stepscope {
namespace {

constexpr double kExplains = 0.5;   // of the excess
constexpr double kMoreWork = 0.02;  // more calls, blocks or elements than the others
constexpr double kMuchMoreWork = 0.1;
constexpr double kSlower = 1.02;        // times the others' mean duration
constexpr double kCommonFactor = 0.5;   // the scatter of the factor over how much it is above 1
constexpr double kMostThrottled = 1.5;  // no clock makes a device slower than that for long
constexpr uint64_t kLeastCalls = 3;

double PerStep(double total, const RankDigest& rank) {
  return total / std::max<double>(1, rank.used_steps());
}

// How much more of something the rank has than the median of the others, a step.
template <typename Get>
double Excess(std::span<const RankDigest* const> ranks, uint32_t position, Get get) {
  std::vector<double> others;
  for (uint32_t p = 0; p < ranks.size(); ++p) {
    if (p != position) others.push_back(PerStep(get(*ranks[p]), *ranks[p]));
  }
  return PerStep(get(*ranks[position]), *ranks[position]) - Median(std::move(others));
}

// The same as a share of the others' median; 0 where they have none of it.
template <typename Get>
double RelativeExcess(std::span<const RankDigest* const> ranks, uint32_t position, Get get) {
  const double more = Excess(ranks, position, get);
  const double others = PerStep(get(*ranks[position]), *ranks[position]) - more;
  return others > 0 ? more / others : 0;
}

double SumOf(const RankDigest& rank, DurationNs RankStep::* part) {
  double sum = 0;
  for (const RankStep& step : rank.steps) {
    if (step.used) sum += static_cast<double>((step.*part).ns);
  }
  return sum;
}

double IdleOf(const RankDigest& rank, std::initializer_list<Cause> causes) {
  double sum = 0;
  for (const RankStep& step : rank.steps) {
    for (const Cause cause : causes) {
      if (step.used) sum += static_cast<double>(step.idle_causes[static_cast<size_t>(cause)].ns);
    }
  }
  return sum;
}

double RegionOf(const RankDigest& rank, const std::string& name) {
  const auto at = std::ranges::find(rank.regions, name, &RegionTotal::name);
  return at == rank.regions.end() ? 0 : static_cast<double>(at->total.ns);
}

struct Region {
  std::string name;
  bool input = false;
  double excess = 0;
};

// The region that the rank spends most more time in than the others. Of nested ones that explain
// about the same, the shortest: it says most exactly where.
Region LargestRegion(std::span<const RankDigest* const> ranks, uint32_t position, double excess) {
  Region best;
  double best_total = 0;
  for (const RegionTotal& region : ranks[position]->regions) {
    const double more = Excess(ranks, position,
                               [&](const RankDigest& rank) { return RegionOf(rank, region.name); });
    if (more < kExplains * excess) continue;
    const auto total = static_cast<double>(region.total.ns);
    if (best.name.empty() || total < best_total) {
      best = {region.name, region.input, more};
      best_total = total;
    }
  }
  return best;
}

// How much more the rank has to do than the others, by whichever count says most.
double MoreWork(std::span<const RankDigest* const> ranks, uint32_t position) {
  const auto calls = [](const RankDigest& rank) {
    double sum = 0;
    for (const WorkTotal& work : rank.work) sum += static_cast<double>(work.calls);
    return sum;
  };
  const auto blocks = [](const RankDigest& rank) {
    double sum = 0;
    for (const WorkTotal& work : rank.work) sum += static_cast<double>(work.blocks);
    return sum;
  };
  const auto elements = [](const RankDigest& rank) { return rank.input_elements; };
  const auto copied = [](const RankDigest& rank) { return static_cast<double>(rank.copied_bytes); };
  return std::max({RelativeExcess(ranks, position, calls), RelativeExcess(ranks, position, blocks),
                   RelativeExcess(ranks, position, elements),
                   RelativeExcess(ranks, position, copied)});
}

struct Factor {
  double middle = 1, spread = 0;
};

// By how much the same kernels are slower, weighed by the time they take.
Factor SlowerBy(std::span<const RankDigest* const> ranks, uint32_t position) {
  std::unordered_map<std::string_view, std::vector<double>> of_others;
  for (uint32_t p = 0; p < ranks.size(); ++p) {
    if (p == position) continue;
    for (const WorkTotal& work : ranks[p]->work) {
      if (work.calls < kLeastCalls) continue;
      of_others[work.name].push_back(static_cast<double>(work.total.ns) /
                                     static_cast<double>(work.calls));
    }
  }
  std::vector<double> factors;  // one for each percent of the time
  double all = 0;
  for (const WorkTotal& work : ranks[position]->work) all += static_cast<double>(work.total.ns);
  for (const WorkTotal& work : ranks[position]->work) {
    const auto at = of_others.find(work.name);
    if (work.calls < kLeastCalls || at == of_others.end() || all <= 0) continue;
    const double mean = static_cast<double>(work.total.ns) / static_cast<double>(work.calls);
    const double others = Median(at->second);
    const auto weight =
        static_cast<size_t>(std::lround(100 * static_cast<double>(work.total.ns) / all));
    if (others > 0) factors.insert(factors.end(), weight, mean / others);
  }
  if (factors.empty()) return {};
  return {Median(factors), kSigmaOfDeviation * Deviation(factors)};
}

}  // namespace

void FindCause(std::span<const RankDigest* const> ranks, Straggler& straggler) {
  const uint32_t p = straggler.position;
  const auto excess = static_cast<double>(straggler.excess.ns);
  const auto more = [&](DurationNs RankStep::* part) {
    return Excess(ranks, p, [&](const RankDigest& rank) { return SumOf(rank, part); });
  };
  const double input = more(&RankStep::input), compute = more(&RankStep::compute),
               copies = more(&RankStep::copy);
  const double launching = Excess(ranks, p, [](const RankDigest& rank) {
    return IdleOf(rank, {Cause::kLaunch, Cause::kHostOp});
  });
  const Region region = LargestRegion(ranks, p, excess);
  const double largest = std::max({input, compute, copies, launching});
  if ((!region.name.empty() && region.input) || (input >= kExplains * excess && input == largest)) {
    straggler.cause = StragglerCause::kInput;
    if (region.input) straggler.region = region.name;
    return;
  }
  const double more_work = MoreWork(ranks, p);
  // More work also takes longer to launch and to copy.
  if (more_work > kMuchMoreWork &&
      std::max(compute, 0.0) + std::max(launching, 0.0) + std::max(copies, 0.0) >=
          kExplains * excess) {
    straggler.cause = StragglerCause::kMoreWork;
    return;
  }
  if (compute >= kExplains * excess && compute == largest) {
    const Factor factor = SlowerBy(ranks, p);
    const bool common = factor.middle > kSlower && factor.middle < kMostThrottled &&
                        factor.spread <= kCommonFactor * (factor.middle - 1);
    if (more_work > kMoreWork) {
      straggler.cause = StragglerCause::kMoreWork;
    } else if (common) {
      straggler.cause = StragglerCause::kSlowerKernels;
      straggler.factor = factor.middle;
      straggler.factor_spread = factor.spread;
    } else {
      // As many calls, of which some take longer: they have more to do.
      straggler.cause = StragglerCause::kMoreWork;
    }
    return;
  }
  straggler.region = region.name;
  if (copies >= kExplains * excess && copies == largest) {
    straggler.cause = StragglerCause::kCopies;
  } else if (launching >= kExplains * excess) {
    straggler.cause = StragglerCause::kLaunch;
  }
}

}  // namespace stepscope
