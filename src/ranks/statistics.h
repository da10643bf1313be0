#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// Robust statistics of a few numbers. An empty list has 0 of everything.
namespace stepscope {

// The lower middle, or the number with this share of the others below it.
template <typename Number>
Number Quantile(std::vector<Number> numbers, double share) {
  if (numbers.empty()) return {};
  const auto at = static_cast<size_t>(share * static_cast<double>(numbers.size() - 1));
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(at));
  return numbers[at];
}

template <typename Number>
Number Median(std::vector<Number> numbers) {
  return Quantile(std::move(numbers), 0.5);
}

// Median absolute deviation.
template <typename Number>
Number Deviation(const std::vector<Number>& numbers) {
  const Number middle = Median(numbers);
  std::vector<Number> away;
  for (const Number number : numbers)
    away.push_back(number < middle ? middle - number : number - middle);
  return Median(std::move(away));
}

// What the deviation is of a normal distribution with a standard deviation of 1.
inline constexpr double kSigmaOfDeviation = 1.4826;

}  // namespace stepscope
