#include "analyze/idle/idle_gaps.h"

namespace stepscope {

void IdleGaps::Add(TimeNs from, DurationNs length, Cause why, SliceId blame, SliceId next) {
  const bool goes_on = !start.empty() && start.back() + duration.back() == from &&
                       cause.back() == why && blamed.back() == blame;
  if (goes_on) {
    duration.back() += length;
    return;
  }
  start.push_back(from);
  duration.push_back(length);
  cause.push_back(why);
  blamed.push_back(blame);
  next_work.push_back(next);
}

void IdleGaps::Reserve(size_t stretches) {
  start.reserve(stretches);
  duration.reserve(stretches);
  cause.reserve(stretches);
  blamed.reserve(stretches);
  next_work.reserve(stretches);
}

void IdleGaps::ShrinkToFit() {
  // Room of a large column that was never written to takes no memory.
  constexpr size_t kLarge = size_t{2} << 20;
  const auto shrink = [](auto& column) {
    if (column.capacity() * sizeof(column[0]) < kLarge) column.shrink_to_fit();
  };
  shrink(start);
  shrink(duration);
  shrink(cause);
  shrink(blamed);
  shrink(next_work);
}

}  // namespace stepscope
