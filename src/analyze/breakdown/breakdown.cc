#include "analyze/breakdown/breakdown.h"

#include "analyze/coverage.h"

namespace stepscope {

std::vector<DeviceStep> AnalyzeBreakdown(int32_t device, const DeviceSets& sets,
                                         const std::vector<Interval>& windows) {
  const IntervalSet occupied = sets.compute.Union(sets.communication);
  const Coverage busy(sets.busy);
  const Coverage compute(sets.compute);
  const Coverage communication(sets.communication);
  const Coverage exposed_communication(sets.communication.Subtract(sets.compute));
  const Coverage copy(sets.copy);
  const Coverage exposed_copy(sets.copy.Subtract(occupied));
  const Coverage memset(sets.memset);
  const Coverage exposed_memset(sets.memset.Subtract(occupied).Subtract(sets.copy));

  std::vector<DeviceStep> rows;
  rows.reserve(windows.size());
  for (const Interval window : windows) {
    DeviceStep row;
    row.device = device;
    row.busy = busy.Within(window);
    row.compute = compute.Within(window);
    row.communication = communication.Within(window);
    row.exposed_communication = exposed_communication.Within(window);
    row.copy = copy.Within(window);
    row.exposed_copy = exposed_copy.Within(window);
    row.memset = memset.Within(window);
    row.exposed_memset = exposed_memset.Within(window);
    row.idle = window.length() - row.busy;
    rows.push_back(row);
  }
  return rows;
}

TimelineTotals TimelineOf(const DeviceSets& sets) {
  TimelineTotals totals;
  if (sets.busy.empty()) return totals;
  const IntervalSet compute = sets.compute.Union(sets.memset);
  const IntervalSet exposed = sets.communication.Subtract(compute);
  totals.compute = compute.length();
  totals.exposed_communication = exposed.length();
  totals.exposed_copy = sets.copy.Subtract(compute.Union(exposed)).length();
  totals.busy = sets.busy.length();
  totals.total = sets.busy.intervals().back().end - sets.busy.intervals().front().start;
  totals.idle = totals.total - totals.busy;
  return totals;
}

}  // namespace stepscope
