#include "diff/judge.h"

#include <algorithm>
#include <cmath>

#include "diff/statistics.h"

namespace stepscope::diff {
namespace {

// What runs of one program scatter by on one machine (clocks, placement, allocator), assumed where
// a single run cannot show it.
constexpr double kRunEffect = 0.02;
constexpr double kHangTogether = 0.3;

Spread SpreadOf(const std::vector<int64_t>& values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return {static_cast<uint32_t>(values.size()), MedianOf(values), MadOf(values), *min, *max};
}

// Means of neighbours, where a value says much about the next.
std::vector<int64_t> Blocked(const std::vector<int64_t>& values) {
  if (std::abs(Lag1(values)) <= kHangTogether) return values;
  std::vector<int64_t> blocks;
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    blocks.push_back((values[i] + values[i + 1]) / 2);
  }
  return blocks;
}

double CvOf(const Spread& spread) {
  if (spread.median == 0) return 0;
  return 1.4826 * static_cast<double>(spread.mad) / std::abs(static_cast<double>(spread.median));
}

// What counts as a change: relative to the smaller side, so that both directions are judged alike.
double ThresholdOf(const Comparison& compared, const Judgement& judgement,
                   const Settings& settings) {
  const double n = std::min(compared.base.n, compared.now.n);
  const double noise = 2 * std::max(CvOf(compared.base), CvOf(compared.now)) / std::sqrt(n);
  const bool is_noisy = judgement.evidence != Evidence::kExact;
  const double relative =
      std::max({settings.threshold, is_noisy ? noise : 0.0, is_noisy ? judgement.floor : 0.0});
  const int64_t smaller = std::min(std::abs(compared.base.median), std::abs(compared.now.median));
  return relative * static_cast<double>(smaller);
}

int64_t RunsFor(const Comparison& compared, const Judgement& judgement, const Settings& settings) {
  double cv = std::max(CvOf(compared.base), CvOf(compared.now));
  if (judgement.single_run) {
    // A run's median scatters by less than its steps, but runs differ among themselves.
    const double n = std::min(compared.base.n, compared.now.n);
    cv = std::hypot(1.2533 * cv / std::sqrt(n), kRunEffect);
  }
  return RunsNeeded(cv, settings.threshold, settings.alpha);
}

}  // namespace

Comparison CompareSamples(std::vector<int64_t> base, std::vector<int64_t> now,
                          const Judgement& judgement, const Settings& settings) {
  if (base.empty()) base.push_back(0);
  if (now.empty()) now.push_back(0);
  Comparison compared;
  compared.base = SpreadOf(base);
  compared.now = SpreadOf(now);
  compared.delta = compared.now.median - compared.base.median;
  if (compared.base.median != 0) {
    compared.rel =
        static_cast<double>(compared.delta) / std::abs(static_cast<double>(compared.base.median));
  }
  // What the host does in one step lasts into the next; kernels do not know of each other.
  const bool block = judgement.steps && judgement.evidence == Evidence::kHost;
  const std::vector<int64_t> a = block ? Blocked(base) : base, b = block ? Blocked(now) : now;
  compared.p = MannWhitney(a, b);
  std::sort(base.begin(), base.end());
  std::sort(now.begin(), now.end());
  if (base == now) {
    compared.lo = compared.hi = 0;  // the same numbers need no statistics
  } else if (const auto interval = ShiftInterval(a, b, settings.alpha, settings.seed)) {
    compared.lo = std::min(interval->lo, compared.delta);
    compared.hi = std::max(interval->hi, compared.delta);
  }
  Judge(judgement, settings, compared);
  return compared;
}

void Judge(const Judgement& judgement, const Settings& settings, Comparison& compared) {
  const double threshold = ThresholdOf(compared, judgement, settings);
  const auto size = static_cast<double>(std::abs(compared.delta));
  const double certainty = compared.q.value_or(compared.p.value_or(1));
  const bool excludes_zero = compared.lo && (*compared.lo > 0 || *compared.hi < 0);
  const bool proves = judgement.evidence != Evidence::kHost || !judgement.single_run;
  compared.runs_needed.reset();
  if (judgement.evidence == Evidence::kExact) {
    // Bytes and counts do not scatter: the difference itself decides.
    const double least = std::max(threshold, static_cast<double>(judgement.least_change));
    compared.result = size <= least        ? Outcome::kSame
                      : compared.delta > 0 ? Outcome::kSlower
                                           : Outcome::kFaster;
    return;
  }
  if (proves && certainty < settings.alpha && excludes_zero && size >= threshold && size > 0) {
    compared.result = compared.delta > 0 ? Outcome::kSlower : Outcome::kFaster;
    return;
  }
  const bool inside = compared.lo && static_cast<double>(*compared.lo) >= -threshold &&
                      static_cast<double>(*compared.hi) <= threshold;
  if (inside) {
    compared.result = Outcome::kSame;
    return;
  }
  compared.result = Outcome::kCannotTell;
  compared.runs_needed = RunsFor(compared, judgement, settings);
}

}  // namespace stepscope::diff
