#include "analyze/timeline_tiles/counter_strip.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace stepscope {

void CounterStrip::Add(TimeNs time, double value) {
  time_.push_back(time);
  value_.push_back(static_cast<float>(value));
}

void CounterStrip::Narrow() {
  base_.reserve((time_.size() + kFan - 1) / kFan);
  since_base_.reserve(time_.size());
  for (size_t i = 0; i < time_.size(); ++i) {
    if (i % kFan == 0) base_.push_back(time_[i]);
    const int64_t since = (time_[i] - base_.back()).ns;
    if (since > std::numeric_limits<uint32_t>::max()) {
      base_ = std::vector<TimeNs>();
      since_base_ = std::vector<uint32_t>();
      time_.shrink_to_fit();
      return;
    }
    since_base_.push_back(static_cast<uint32_t>(since));
  }
  time_ = std::vector<TimeNs>();
}

void CounterStrip::Build() {
  Narrow();
  value_.shrink_to_fit();
  if (value_.empty()) return;
  std::vector<Extremes> below(value_.size());
  std::ranges::transform(value_, below.begin(), [](float v) { return Extremes{v, v}; });
  while (below.size() > 1) {
    std::vector<Extremes> level((below.size() + kFan - 1) / kFan);
    for (size_t i = 0; i < level.size(); ++i) {
      level[i] = below[i * kFan];
      for (size_t j = i * kFan; j < std::min((i + 1) * kFan, below.size()); ++j) {
        level[i] = {std::min(level[i].min, below[j].min), std::max(level[i].max, below[j].max)};
      }
    }
    below = level;
    levels_.push_back(std::move(level));
  }
  min_ = below[0].min;
  max_ = below[0].max;
}

CounterItem CounterStrip::Node(int level, size_t index) const {
  const size_t first = First(level, index);
  const size_t last = Last(level, index);
  const Extremes bounds = level == 0 ? Extremes{value_[index], value_[index]}
                                     : levels_[static_cast<size_t>(level - 1)][index];
  return {TimeOf(first), bounds.min, bounds.max, value_[last - 1],
          static_cast<uint32_t>(last - first)};
}

void CounterStrip::Descend(int level, size_t index, size_t from, size_t to, int64_t resolution,
                           std::vector<CounterItem>& out) const {
  const size_t first = First(level, index);
  const size_t last = Last(level, index);
  if (first >= to || last <= from) return;
  const bool inside = first >= from && last <= to;
  if (level == 0 || (inside && (TimeOf(last - 1) - TimeOf(first)).ns < resolution)) {
    out.push_back(Node(level, index));
    return;
  }
  for (size_t child = index * kFan; child < (index + 1) * kFan; ++child) {
    if (First(level - 1, child) >= value_.size()) break;
    Descend(level - 1, child, from, to, resolution, out);
  }
}

// The first sample at a time or later.
size_t CounterStrip::FirstFrom(TimeNs time) const {
  const auto samples = std::views::iota(uint32_t{0}, static_cast<uint32_t>(value_.size()));
  const auto found =
      std::ranges::lower_bound(samples, time, {}, [&](uint32_t i) { return TimeOf(i); });
  return static_cast<size_t>(found - samples.begin());
}

void CounterStrip::Collect(Interval window, int shift, std::vector<CounterItem>& out) const {
  if (value_.empty()) return;
  const size_t from = FirstFrom(window.start);
  const size_t to = FirstFrom(window.end);
  Descend(static_cast<int>(levels_.size()), 0, from == 0 ? 0 : from - 1, to, int64_t{1} << shift,
          out);
}

size_t CounterStrip::Bytes() const {
  size_t bytes = (time_.capacity() + base_.capacity()) * sizeof(TimeNs) +
                 since_base_.capacity() * sizeof(uint32_t) + value_.capacity() * sizeof(float);
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(Extremes);
  return bytes;
}

}  // namespace stepscope
