#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "base/time.h"

namespace stepscope {

// Samples too close to tell apart, as one vertical stroke.
struct CounterItem {
  TimeNs time;  // of the first sample in it
  float min = 0;
  float max = 0;
  float last = 0;
  uint32_t count = 1;
};

// A value over time at every zoom: a tree of fan-out 16 whose nodes know their smallest and largest
// value. About 9 bytes per sample: the value, the time since the first of its 16, and the tree.
class CounterStrip {
 public:
  void Add(TimeNs time, double value);  // by time
  void Build();

  // Appends the items of the window by time, each at most 2^shift ns long, and the sample before
  // the window, whose value holds at its start. O(log samples + 16 x items).
  void Collect(Interval window, int shift, std::vector<CounterItem>& out) const;
  size_t samples() const { return value_.size(); }
  float min() const { return min_; }
  float max() const { return max_; }
  size_t Bytes() const;

 private:
  static constexpr size_t kFan = 16;
  struct Extremes {
    float min;
    float max;
  };
  // Bounds of node `index` of a level as samples; level 0 are the samples themselves.
  size_t First(int level, size_t index) const { return index << (4 * level); }
  size_t Last(int level, size_t index) const {
    return std::min(First(level, index + 1), value_.size());
  }
  TimeNs TimeOf(size_t sample) const {
    return time_.empty() ? base_[sample / kFan] + DurationNs{since_base_[sample]} : time_[sample];
  }
  size_t FirstFrom(TimeNs time) const;
  void Narrow();
  CounterItem Node(int level, size_t index) const;
  void Descend(int level, size_t index, size_t from, size_t to, int64_t resolution,
               std::vector<CounterItem>& out) const;

  std::vector<TimeNs> time_;  // until built, and after that where 32 bits are too few
  std::vector<TimeNs> base_;  // by 16 samples: the time of the first
  std::vector<uint32_t> since_base_;
  std::vector<float> value_;
  std::vector<std::vector<Extremes>> levels_;  // [0] groups 16 samples
  float min_ = 0;
  float max_ = 0;
};

}  // namespace stepscope
