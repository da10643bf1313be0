#include "ranks/student.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

constexpr int kTerms = 300;
constexpr double kTiny = 1e-300, kExact = 1e-14;

// The continued fraction of the incomplete beta function, from the front (Lentz).
double BetaFraction(double a, double b, double x) {
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), product = d;
  for (int m = 1; m <= kTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      product *= c * d;
    }
    if (std::abs(c * d - 1) < kExact) break;
  }
  return product;
}

double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double TailBeyond(double t, double freedom) {
  return IncompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

}  // namespace

double StudentQuantile(double tail, double freedom) {
  double low = 0, high = 1;
  while (TailBeyond(high, freedom) > tail && high < 1e9) {
    low = high;
    high *= 2;
  }
  for (int half = 0; half < 60; ++half) {
    const double middle = (low + high) / 2;
    (TailBeyond(middle, freedom) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace stepscope
