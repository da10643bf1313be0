#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Tests and intervals on small samples of whole numbers. All of them are symmetric: with the two
// samples exchanged, shifts and interval ends change their sign to the last digit and p stays.
namespace stepscope::diff {

// The lower middle, as the report has it. The sample must not be empty.
int64_t MedianOf(std::vector<int64_t> values);
// Median distance from the median.
int64_t MadOf(std::span<const int64_t> values);
// 1.4826 · MAD / median; 0 where the median is 0.
double RobustCv(std::span<const int64_t> values);
// Correlation of each value with the next; 0 for fewer than four values or equal ones.
double Lag1(std::span<const int64_t> values);

// Two-sided p of the Mann-Whitney test. Exact up to 20 values a side, ties included (the
// permutation distribution of the midranks); beyond, normal with corrections for ties and
// continuity. 1 where a sample is empty.
double MannWhitney(std::span<const int64_t> a, std::span<const int64_t> b);

// Two-sided p of Fisher's exact test: whether in_a of a and in_b of b have the same chance.
double FisherExact(size_t in_a, size_t a, size_t in_b, size_t b);

struct Interval95 {
  int64_t lo = 0;
  int64_t hi = 0;
};
// Of the shift from a to b. Up to 400 pairs the exact inversion of the Mann-Whitney test; beyond, a
// percentile bootstrap of the difference of medians. Resamples are drawn by what is in a sample and
// the seed, not by the side it is on. None where so few values allow no interval at this level.
std::optional<Interval95> ShiftInterval(std::span<const int64_t> a, std::span<const int64_t> b,
                                        double alpha, uint64_t seed);

// Benjamini-Hochberg: q for each p, in the order given.
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

// How many runs a side find a shift of this size with 80 % power at the level alpha, if runs
// scatter with this standard deviation (both relative): 4 to 50.
int64_t RunsNeeded(double deviation, double shift, double alpha);

}  // namespace stepscope::diff
