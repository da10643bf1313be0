#pragma once

#include <algorithm>
#include <array>
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

// The standard deviation that a median absolute deviation of a normal distribution stands for. Of
// few numbers it comes out too small; the factors are those of Croux and Rousseeuw (1992).
template <typename Number>
double Scatter(std::vector<Number> numbers) {
  constexpr std::array<double, 10> kOfFew = {1,     1,     1.196, 1.495, 1.363,
                                             1.206, 1.200, 1.140, 1.129, 1.107};
  if (numbers.empty()) return 0;
  const size_t count = numbers.size();
  const auto middle = [count](auto& list) {
    std::ranges::sort(list);
    return list[(count - 1) / 2] + (list[count / 2] - list[(count - 1) / 2]) / 2;
  };
  const Number center = middle(numbers);
  std::vector<double> away;
  for (const Number number : numbers)
    away.push_back(std::abs(static_cast<double>(number - center)));
  const auto of_many = static_cast<double>(count) / (static_cast<double>(count) - 0.8);
  return (count < kOfFew.size() ? kOfFew[count] : of_many) * kSigmaOfDeviation * middle(away);
}
// Its efficiency: it knows the scatter as well as a plain deviation of so many of the numbers.
inline constexpr double kFreedomOfDeviation = 0.37;
inline constexpr double kErrorOfMedian = 1.2533;  // times that of a mean, of normal numbers

}  // namespace stepscope
