#include "diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

namespace stepscope::diff {
namespace {

constexpr size_t kExactValues = 20;  // a side
constexpr size_t kExactPairs = 400;
constexpr int kResamples = 2000;

// Two-sided tail of the standard normal distribution.
double NormalTails(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// The z with this much above it, by bisection.
double NormalQuantile(double above) {
  double low = 0, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (NormalTails(middle) / 2 > above ? low : high) = middle;
  }
  return low;
}

// Both samples in one, as sizes of groups of equal values, with how many of each are of `a`.
struct Groups {
  std::vector<int> size;
  int64_t doubled_rank_sum = 0;  // of a: midranks times two are whole
};

Groups GroupsOf(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<std::pair<int64_t, bool>> all;
  for (const int64_t value : a) all.emplace_back(value, true);
  for (const int64_t value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Groups groups;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    int64_t of_a = 0;
    for (; end < all.size() && all[end].first == all[i].first; ++end) of_a += all[end].second;
    groups.doubled_rank_sum += of_a * static_cast<int64_t>(i + 1 + end);
    groups.size.push_back(static_cast<int>(end - i));
    i = end;
  }
  return groups;
}

// counts[j][s]: ways to choose j values with the doubled rank sum s, group after group.
double ExactP(const Groups& groups, size_t n, size_t m) {
  const size_t most = 2 * (n + m) * n;
  std::vector<std::vector<double>> counts(n + 1, std::vector<double>(most + 1, 0));
  counts[0][0] = 1;
  size_t before = 0;
  for (const int size : groups.size) {
    const size_t doubled_rank = 2 * before + static_cast<size_t>(size) + 1;
    std::vector<double> choose{1};
    for (int k = 1; k <= size; ++k) choose.push_back(choose.back() * (size - k + 1) / k);
    for (size_t j = n + 1; j-- > 0;) {
      for (size_t take = std::min<size_t>(j, static_cast<size_t>(size)); take > 0; --take) {
        const size_t add = take * doubled_rank;
        for (size_t s = add; s <= most; ++s) {
          counts[j][s] += counts[j - take][s - add] * choose[take];
        }
      }
    }
    before += static_cast<size_t>(size);
  }
  const auto mean = static_cast<int64_t>(n * (n + m + 1));  // doubled
  const int64_t distance = std::abs(groups.doubled_rank_sum - mean);
  double all = 0, tails = 0;
  for (size_t s = 0; s <= most; ++s) {
    all += counts[n][s];
    if (std::abs(static_cast<int64_t>(s) - mean) >= distance) tails += counts[n][s];
  }
  return std::min(1.0, tails / all);
}

double NormalP(const Groups& groups, size_t n, size_t m) {
  const auto all = static_cast<double>(n + m);
  double ties = 0;
  for (const int size : groups.size) {
    const double t = size;
    ties += t * t * t - t;
  }
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double variance = pairs / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double mean = static_cast<double>(n) * (all + 1) / 2;
  const double distance =
      std::max(0.0, std::abs(static_cast<double>(groups.doubled_rank_sum) / 2 - mean) - 0.5);
  return NormalTails(distance / std::sqrt(variance));
}

// The largest k with P(U < k) <= tail: the interval leaves out k - 1 differences at each end. 0:
// even the extreme differences are too likely.
size_t CriticalValue(size_t n, size_t m, double tail) {
  // ways[j][u]: choose j of the first i values of the second sample … as a partition count.
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(n * m + 1, 0));
  ways[0][0] = 1;
  for (size_t value = 1; value <= n + m; ++value) {
    for (size_t j = std::min(n, value); j > 0; --j) {
      const size_t add = value - j;  // values of the other sample below it
      if (add > m) continue;
      for (size_t u = n * m + 1; u-- > add;) ways[j][u] += ways[j - 1][u - add];
    }
  }
  const double all = std::accumulate(ways[n].begin(), ways[n].end(), 0.0);
  double below = 0;
  size_t k = 0;
  while (k < ways[n].size() && (below + ways[n][k]) / all <= tail) below += ways[n][k++];
  return k;
}

std::vector<int64_t> Sorted(std::span<const int64_t> values) {
  std::vector<int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// By index into a sorted sample of n: how likely the median of a resample is at or below it. At
// least half of the n draws have to be: a tail of the binomial distribution, for large n as a
// normal one.
std::vector<double> MedianDistribution(size_t n) {
  constexpr size_t kExact = 200;
  const auto count = static_cast<double>(n);
  const size_t half = (n - 1) / 2 + 1;
  std::vector<double> at_or_below(n, 1);
  for (size_t i = 0; i + 1 < n; ++i) {
    const double p = static_cast<double>(i + 1) / count;
    if (n > kExact) {
      const double distance = (static_cast<double>(half) - 0.5 - count * p);
      at_or_below[i] = std::erfc(distance / std::sqrt(2 * count * p * (1 - p))) / 2;
      continue;
    }
    double tail = 0;
    for (size_t k = half; k <= n; ++k) {
      const auto chosen = static_cast<double>(k);
      tail += std::exp(std::lgamma(count + 1) - std::lgamma(chosen + 1) -
                       std::lgamma(count - chosen + 1) + chosen * std::log(p) +
                       (count - chosen) * std::log1p(-p));
    }
    at_or_below[i] = tail;
  }
  return at_or_below;
}

// Medians of resamples of one sample. A resample itself is never made: the place of its median is
// drawn from its distribution, which is the same and takes one draw instead of n.
std::vector<int64_t> Resampled(const std::vector<int64_t>& sorted, uint64_t seed) {
  thread_local std::map<size_t, std::vector<double>> known;
  std::vector<double>& at_or_below = known[sorted.size()];
  if (at_or_below.empty()) at_or_below = MedianDistribution(sorted.size());
  uint64_t state = Mix(seed);
  for (const int64_t value : sorted) state = Mix(state ^ static_cast<uint64_t>(value));
  std::vector<int64_t> medians;
  medians.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    state += 0x9E3779B97F4A7C15u;
    const double drawn = static_cast<double>(Mix(state) >> 11) * 0x1p-53;
    const auto at = std::upper_bound(at_or_below.begin(), at_or_below.end() - 1, drawn);
    medians.push_back(sorted[static_cast<size_t>(at - at_or_below.begin())]);
  }
  return medians;
}

Interval95 Bootstrap(std::span<const int64_t> a, std::span<const int64_t> b, double alpha,
                     uint64_t seed) {
  const std::vector<int64_t> of_a = Resampled(Sorted(a), seed), of_b = Resampled(Sorted(b), seed);
  std::vector<int64_t> shifts;
  for (int i = 0; i < kResamples; ++i) {
    const auto at = static_cast<size_t>(i);
    shifts.push_back(of_b[at] - of_a[at]);
  }
  std::sort(shifts.begin(), shifts.end());
  const auto outside = static_cast<size_t>(kResamples * alpha / 2);
  return {shifts[outside], shifts[shifts.size() - 1 - outside]};
}

}  // namespace

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t MadOf(std::span<const int64_t> values) {
  const int64_t median = MedianOf({values.begin(), values.end()});
  std::vector<int64_t> distances;
  for (const int64_t value : values) distances.push_back(std::abs(value - median));
  return MedianOf(std::move(distances));
}

double RobustCv(std::span<const int64_t> values) {
  const int64_t median = MedianOf({values.begin(), values.end()});
  if (median == 0) return 0;
  return 1.4826 * static_cast<double>(MadOf(values)) / static_cast<double>(std::abs(median));
}

double Lag1(std::span<const int64_t> values) {
  if (values.size() < 4) return 0;
  double mean = 0;
  for (const int64_t value : values) mean += static_cast<double>(value);
  mean /= static_cast<double>(values.size());
  double with_next = 0, with_itself = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double here = static_cast<double>(values[i]) - mean;
    with_itself += here * here;
    if (i + 1 < values.size()) with_next += here * (static_cast<double>(values[i + 1]) - mean);
  }
  return with_itself == 0 ? 0 : with_next / with_itself;
}

double FisherExact(size_t in_a, size_t a, size_t in_b, size_t b) {
  const auto log_choose = [](size_t from, size_t of) {
    double sum = 0;
    for (size_t i = 1; i <= of; ++i) {
      sum += std::log(static_cast<double>(from - of + i)) - std::log(static_cast<double>(i));
    }
    return sum;
  };
  const size_t with = in_a + in_b;
  const auto chance = [&](size_t of_a) {
    return std::exp(log_choose(a, of_a) + log_choose(b, with - of_a) - log_choose(a + b, with));
  };
  constexpr double kRounding = 1 + 1e-9;  // tables as likely as the one seen count too
  const double seen = chance(in_a) * kRounding;
  double p = 0;
  for (size_t of_a = with > b ? with - b : 0; of_a <= std::min(a, with); ++of_a) {
    if (const double one = chance(of_a); one <= seen) p += one;
  }
  return std::min(p, 1.0);
}

double MannWhitney(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.empty() || b.empty()) return 1;
  const Groups groups = GroupsOf(a, b);
  const bool exact = a.size() <= kExactValues && b.size() <= kExactValues;
  return exact ? ExactP(groups, a.size(), b.size()) : NormalP(groups, a.size(), b.size());
}

std::optional<Interval95> ShiftInterval(std::span<const int64_t> a, std::span<const int64_t> b,
                                        double alpha, uint64_t seed) {
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() * b.size() > kExactPairs) return Bootstrap(a, b, alpha, seed);
  const size_t k = CriticalValue(a.size(), b.size(), alpha / 2);
  if (k == 0) return std::nullopt;
  std::vector<int64_t> shifts;
  for (const int64_t from : a) {
    for (const int64_t to : b) shifts.push_back(to - from);
  }
  std::sort(shifts.begin(), shifts.end());
  return Interval95{shifts[k - 1], shifts[shifts.size() - k]};
}

std::vector<double> FalseDiscoveryRates(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> q(p.size());
  double least = 1;
  for (size_t rank = order.size(); rank-- > 0;) {
    const double rate =
        p[order[rank]] * static_cast<double>(p.size()) / static_cast<double>(rank + 1);
    least = std::min(least, rate);
    q[order[rank]] = least;
  }
  return q;
}

int64_t RunsNeeded(double deviation, double shift, double alpha) {
  constexpr double kMissed = 0.2;
  constexpr double kFewest = 4, kMost = 50;  // three runs a side can never reach p < 0.05
  if (shift <= 0) return static_cast<int64_t>(kMost);
  const double z = NormalQuantile(alpha / 2) + NormalQuantile(kMissed);
  // The rank test needs pi / 3 as many values as the t test where noise is normal.
  const double runs = 2 * z * z * deviation * deviation / (shift * shift) * 3.14159265358979 / 3;
  return static_cast<int64_t>(std::ceil(std::clamp(runs, kFewest, kMost)));
}

}  // namespace stepscope::diff
