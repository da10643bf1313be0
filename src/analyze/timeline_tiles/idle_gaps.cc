#include <algorithm>

#include "analyze/breakdown/device_sets.h"
#include "analyze/device_work.h"
#include "analyze/idle/idle.h"
#include "analyze/threads.h"
#include "analyze/timeline_tiles/timeline.h"
#include "analyze/windows.h"

namespace stepscope {
namespace {

// Neighbours with the same cause and culprit are one stretch.
IdleGaps AsColumns(int32_t device, const std::vector<IdleGap>& gaps) {
  IdleGaps columns;
  columns.device = device;
  const IdleGap* before = nullptr;
  for (const IdleGap& gap : gaps) {
    const bool goes_on = before != nullptr && before->start + before->length == gap.start &&
                         before->cause == gap.cause && before->blamed == gap.blamed;
    before = &gap;
    if (goes_on) {
      columns.duration.back() += gap.length;
      continue;
    }
    columns.start.push_back(gap.start);
    columns.duration.push_back(gap.length);
    columns.cause.push_back(gap.cause);
    columns.blamed.push_back(gap.blamed);
    columns.next_work.push_back(gap.next_work);
  }
  columns.start.shrink_to_fit();
  columns.duration.shrink_to_fit();
  columns.cause.shrink_to_fit();
  columns.blamed.shrink_to_fit();
  columns.next_work.shrink_to_fit();
  return columns;
}

}  // namespace

std::vector<IdleGaps> FindIdleGaps(const Trace& trace, const Report& report) {
  const DeviceWork work(trace, report.links);
  const Threads threads(trace);
  const std::vector<Interval> windows = WindowsOf(trace, work, report.steps);
  const auto host = HostDevice(trace, work);
  std::vector<int32_t> devices(work.devices().begin(), work.devices().end());
  if (host) devices = {*host};
  std::vector<IdleGaps> all;
  std::vector<IdleGap> gaps;
  TaskPool alone(1);  // may be called from a task
  for (const int32_t device : devices) {
    gaps.clear();
    const auto of_device = host ? std::span<const Work>{} : work.Of(device);
    const DeviceSets sets =
        host ? HostSets(trace, report.links, threads, alone) : SetsOf(of_device, WhichWork::kAll);
    const IdleInput input{trace,
                          report.links,
                          report.steps,
                          threads,
                          MainThread(trace, threads, report.links, report.steps),
                          windows,
                          &gaps};
    AnalyzeIdle(input, device, sets.busy, of_device);
    all.push_back(AsColumns(device, gaps));
    if (host) all.back().host_busy = sets.busy;
  }
  return all;
}

}  // namespace stepscope
