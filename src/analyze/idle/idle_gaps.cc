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

void IdleGaps::ShrinkToFit() {
  start.shrink_to_fit();
  duration.shrink_to_fit();
  cause.shrink_to_fit();
  blamed.shrink_to_fit();
  next_work.shrink_to_fit();
}

}  // namespace stepscope
