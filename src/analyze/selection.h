#pragma once

#include <algorithm>
#include <optional>

#include "base/intervals.h"
#include "link/steps.h"

namespace stepscope {

// What of the profile the tables are about: all of it, or the steps that the user chose.
struct StepSelection {
  std::optional<IntervalSet> host;  // when the host was in a chosen step; none: all

  bool Contains(TimeNs time) const {
    if (!host) return true;
    const auto intervals = host->intervals();
    const auto after = std::partition_point(intervals.begin(), intervals.end(),
                                            [&](Interval known) { return known.start <= time; });
    return after != intervals.begin() && time < (after - 1)->end;
  }
};

// Chosen steps by their markers, where they have one: device work lags behind the host.
inline StepSelection SelectionOf(const Steps& steps) {
  std::vector<Interval> chosen;
  for (const Step& step : steps.items) {
    if (step.why_unused == WhyUnused::kNotSelected) continue;
    const bool marked = step.marker != kNoSlice;
    chosen.push_back(marked ? Interval{step.host_start, step.host_start + step.host_duration}
                            : Interval{step.start, step.end()});
  }
  StepSelection selection;
  if (chosen.size() < steps.items.size()) selection.host = IntervalSet::Of(std::move(chosen));
  return selection;
}

}  // namespace stepscope
