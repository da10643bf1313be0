#include "analyze/timeline_tiles/counter_strip.h"

#include <algorithm>

namespace stepscope {

void CounterStrip::Add(TimeNs time, double value) {
  time_.push_back(time);
  value_.push_back(static_cast<float>(value));
}

void CounterStrip::Build() {
  time_.shrink_to_fit();
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
  return {time_[first], bounds.min, bounds.max, value_[last - 1],
          static_cast<uint32_t>(last - first)};
}

void CounterStrip::Descend(int level, size_t index, size_t from, size_t to, int64_t resolution,
                           std::vector<CounterItem>& out) const {
  const size_t first = First(level, index);
  const size_t last = Last(level, index);
  if (first >= to || last <= from) return;
  const bool inside = first >= from && last <= to;
  if (level == 0 || (inside && (time_[last - 1] - time_[first]).ns < resolution)) {
    out.push_back(Node(level, index));
    return;
  }
  for (size_t child = index * kFan; child < (index + 1) * kFan; ++child) {
    if (First(level - 1, child) >= time_.size()) break;
    Descend(level - 1, child, from, to, resolution, out);
  }
}

void CounterStrip::Collect(Interval window, int shift, std::vector<CounterItem>& out) const {
  if (time_.empty()) return;
  const auto first = std::ranges::lower_bound(time_, window.start);
  const auto last = std::ranges::lower_bound(time_, window.end);
  const auto from = static_cast<size_t>(first - time_.begin());
  const auto to = static_cast<size_t>(last - time_.begin());
  Descend(static_cast<int>(levels_.size()), 0, from == 0 ? 0 : from - 1, to, int64_t{1} << shift,
          out);
}

size_t CounterStrip::Bytes() const {
  size_t bytes = time_.capacity() * sizeof(TimeNs) + value_.capacity() * sizeof(float);
  for (const auto& level : levels_) bytes += level.capacity() * sizeof(Extremes);
  return bytes;
}

}  // namespace stepscope
