#include "tools/events/step_rate.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr double kSlowShare = 0.5;

struct Gap {
  ScalarPoint from, to;
  double rate;
};

std::vector<Gap> GapsOf(std::span<const ScalarPoint> points) {
  std::vector<Gap> gaps;
  for (size_t i = 1, last = 0; i < points.size(); ++i) {
    const ScalarPoint& from = points[last];
    const ScalarPoint& to = points[i];
    if (to.step > from.step && to.wall_time > from.wall_time) {
      const double rate =
          static_cast<double>(to.step - from.step) / (to.wall_time - from.wall_time);
      gaps.push_back({from, to, rate});
      last = i;
    } else if (to.step < from.step) {
      last = i;
    }
  }
  return gaps;
}

double MedianRate(const std::vector<Gap>& gaps) {
  std::vector<double> rates;
  for (const Gap& gap : gaps) rates.push_back(gap.rate);
  const auto middle = rates.begin() + static_cast<ptrdiff_t>(rates.size() / 2);
  std::ranges::nth_element(rates, middle);
  if (rates.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(rates.begin(), middle)) / 2;
}

}  // namespace

std::optional<StepRate> RateOf(std::span<const ScalarPoint> points) {
  const std::vector<Gap> gaps = GapsOf(points);
  if (gaps.empty()) return std::nullopt;
  StepRate rate;
  rate.intervals = gaps.size();
  rate.median = MedianRate(gaps);
  bool open = false;
  for (const Gap& gap : gaps) {
    const double seconds = gap.to.wall_time - gap.from.wall_time;
    rate.steps += gap.to.step - gap.from.step;
    rate.seconds += seconds;
    if (gap.rate >= kSlowShare * rate.median) {
      open = false;
      continue;
    }
    if (!open) rate.slow.push_back({gap.from.step, 0, gap.from.wall_time, 0, 0, 0});
    open = true;
    SlowPeriod& period = rate.slow.back();
    period.last_step = gap.to.step;
    period.seconds += seconds;
    period.steps_per_second =
        static_cast<double>(period.last_step - period.first_step) / period.seconds;
    period.times_slower = rate.median / period.steps_per_second;
  }
  rate.steps_per_second = static_cast<double>(rate.steps) / rate.seconds;
  return rate;
}

}  // namespace stepscope
