#include "diff/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace stepscope::diff {
namespace {

std::vector<int64_t> Numbers(int64_t from, size_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

// Fisher's lady tasting tea (The Design of Experiments, 1935): 4 of 4 right has a chance of 1 in
// 70, 3 of 4 one of 17 in 70; two-sided both double.
TEST(Statistics, FishersTea) {
  EXPECT_NEAR(FisherExact(4, 4, 0, 4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(FisherExact(0, 4, 4, 4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(FisherExact(3, 4, 1, 4), 34.0 / 70, 1e-12);
  EXPECT_NEAR(FisherExact(3, 3, 0, 3), 0.1, 1e-12);
  EXPECT_NEAR(FisherExact(1, 1, 0, 1), 1, 1e-12);
  EXPECT_NEAR(FisherExact(0, 5, 0, 9), 1, 1e-12);
  // 6 of 6 against 1 of 6: C(6,6) · C(6,1) = 6 of C(12,7) = 792 ways, and as many the other way.
  EXPECT_NEAR(FisherExact(6, 6, 1, 6), 12.0 / 792, 1e-12);
}

// The least p that n values a side can have: benchstat's uTestMinP for n = 1 … 9.
TEST(Statistics, LeastPossibleP) {
  const std::vector<double> published = {1,        0.3333,    0.1,       0.02857,  0.007937,
                                         0.002165, 0.0005828, 0.0001554, 4.113e-05};
  for (size_t n = 1; n <= published.size(); ++n) {
    const double p = MannWhitney(Numbers(0, n), Numbers(100, n));
    EXPECT_NEAR(p, published[n - 1], published[n - 1] * 1e-3) << n;
  }
}

// Critical values of U, two-sided, alpha = 0.05 (Mann and Whitney's table as textbooks print it):
// U at the value is significant, U one above it is not.
TEST(Statistics, PublishedCriticalValues) {
  struct Row {
    size_t n, m;
    int64_t critical;
  };
  for (const Row& row : {Row{5, 5, 2}, Row{6, 6, 5}, Row{7, 7, 8}, Row{8, 8, 13}, Row{10, 10, 23},
                         Row{5, 8, 6}, Row{9, 12, 26}, Row{15, 15, 64}, Row{20, 20, 127}}) {
    // Samples with a given U: all of a below all of b, then values of a moved up past values of b.
    const auto p_of = [&](int64_t u) {
      std::vector<int64_t> a, b;
      for (size_t i = 0; i < row.m; ++i) b.push_back(static_cast<int64_t>(2 * i + 1));
      for (size_t i = 0; i < row.n; ++i) {
        const int64_t past = std::min<int64_t>(u, static_cast<int64_t>(row.m));
        u -= past;
        a.push_back(2 * past * 1000 - static_cast<int64_t>(i));
      }
      for (int64_t& value : b) value *= 1000;
      return MannWhitney(a, b);
    };
    EXPECT_LE(p_of(row.critical), 0.05) << row.n << " " << row.m;
    EXPECT_GT(p_of(row.critical + 1), 0.05) << row.n << " " << row.m;
  }
}

// Three against three can never be significant, ties or not: 2 of 20 orders are as extreme.
TEST(Statistics, TiesAreExact) {
  EXPECT_NEAR(MannWhitney(std::vector<int64_t>{5, 5, 5}, std::vector<int64_t>{9, 9, 9}), 0.1,
              1e-12);
  EXPECT_NEAR(MannWhitney(std::vector<int64_t>{5, 5, 5}, std::vector<int64_t>{5, 5, 5}), 1, 1e-12);
}

TEST(Statistics, LargeSamplesAreNormal) {
  // 25 against 25 fully apart: z = (312.5 - 0.5) / sqrt(25·25·51/12) = 6.054; 2·(1 - Φ(z))
  // = 1.41e-9.
  EXPECT_NEAR(MannWhitney(Numbers(0, 25), Numbers(100, 25)), 1.41e-9, 0.02e-9);
}

TEST(Statistics, IntervalFromTheTest) {
  // Differences of {0,1,2,3} and {10,11,12,13} are 7 … 13; at n = m = 4 only the extremes fit in
  // 95 % (P(U = 0) = 1/70 < 0.025 < 2/70).
  const auto interval = ShiftInterval(Numbers(0, 4), Numbers(10, 4), 0.05, 1);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->lo, 7);
  EXPECT_EQ(interval->hi, 13);
  EXPECT_FALSE(ShiftInterval(Numbers(0, 3), Numbers(10, 3), 0.05, 1));
}

// The bootstrap interval of a difference of medians of 100 + 100 normal values with deviation 1000:
// ± 1.96·1.2533·1000·√(2/100) = ± 347.
TEST(Statistics, LargeSamplesAreResampled) {
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < 100; ++i) {
    // Quantiles of the normal distribution, by its logistic approximation.
    const double p = (static_cast<double>(i) + 0.5) / 100;
    a.push_back(static_cast<int64_t>(1000 * std::log(p / (1 - p)) / 1.596));
    b.push_back(a.back() + 5000);
  }
  const auto interval = ShiftInterval(a, b, 0.05, 1);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(static_cast<double>(interval->lo), 5000 - 347, 80);
  EXPECT_NEAR(static_cast<double>(interval->hi), 5000 + 347, 80);
}

TEST(Statistics, ExchangedSidesChangeTheSign) {
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < 60; ++i) {
    a.push_back(1000 + i * 37 % 101);
    b.push_back(1010 + i * 53 % 97);
  }
  for (const size_t n : {6u, 15u, 60u}) {
    const std::vector<int64_t> x(a.begin(), a.begin() + n), y(b.begin(), b.begin() + n);
    const auto there = ShiftInterval(x, y, 0.05, 1), back = ShiftInterval(y, x, 0.05, 1);
    ASSERT_TRUE(there && back) << n;
    EXPECT_EQ(there->lo, -back->hi) << n;
    EXPECT_EQ(there->hi, -back->lo) << n;
    EXPECT_EQ(MannWhitney(x, y), MannWhitney(y, x)) << n;
  }
}

// The example of Benjamini and Hochberg (1995), section 3.2: 15 p-values, the first four pass 0.05.
TEST(Statistics, FalseDiscoveryRates) {
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  const std::vector<double> q = FalseDiscoveryRates(p);
  for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(q[i] <= 0.05, i < 4) << i;
  EXPECT_NEAR(q[3], 0.0095 * 15 / 4, 1e-12);
}

TEST(Statistics, RunsNeeded) {
  EXPECT_EQ(RunsNeeded(0.001, 0.03, 0.05), 4);
  // 2·(1.960 + 0.8416)²·1·π/3 = 16.44.
  EXPECT_EQ(RunsNeeded(0.03, 0.03, 0.05), 17);
  EXPECT_EQ(RunsNeeded(0.5, 0.03, 0.05), 50);
}

TEST(Statistics, Summaries) {
  EXPECT_EQ(MedianOf({4, 1, 3, 2}), 2);  // the lower middle
  EXPECT_EQ(MadOf(std::vector<int64_t>{1, 2, 3, 4, 100}), 1);
  EXPECT_NEAR(RobustCv(std::vector<int64_t>{90, 100, 110}), 0.14826, 1e-9);
  EXPECT_LT(Lag1(std::vector<int64_t>{1, 9, 1, 9, 1, 9}), -0.3);
}

}  // namespace
}  // namespace stepscope::diff
