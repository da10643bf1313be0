#include "analyze/breakdown/breakdown.h"

#include "analyze/coverage.h"

namespace stepscope {

std::vector<DeviceStep> AnalyzeBreakdown(int32_t device, const DeviceSets& sets,
                                         const std::vector<Interval>& windows) {
  const Coverage busy(sets.busy);
  const Coverage compute(sets.compute);
  const Coverage communication(sets.communication);
  const Coverage exposed_communication(sets.communication.Subtract(sets.compute));
  const Coverage copy(sets.copy);
  const Coverage exposed_copy(sets.copy.Subtract(sets.compute).Subtract(sets.communication));
  const Coverage memset(sets.memset);
  const Coverage exposed_memset(
      sets.memset.Subtract(sets.compute).Subtract(sets.communication).Subtract(sets.copy));

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
  // Here memsets count as computing. The small sets are subtracted from, one by one: a union with
  // millions of kernels would cost more than all else here.
  const IntervalSet exposed = sets.communication.Subtract(sets.compute).Subtract(sets.memset);
  totals.compute =
      sets.compute.length() + sets.memset.length() - sets.compute.OverlapWith(sets.memset);
  totals.exposed_communication = exposed.length();
  totals.exposed_copy =
      sets.copy.Subtract(sets.compute).Subtract(sets.memset).Subtract(exposed).length();
  totals.busy = sets.busy.length();
  totals.total = sets.busy.intervals().back().end - sets.busy.intervals().front().start;
  totals.idle = totals.total - totals.busy;
  return totals;
}

}  // namespace stepscope
