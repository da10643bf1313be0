#include "analyze/breakdown/priority.h"

#include <algorithm>
#include <array>

#include "analyze/coverage.h"
#include "analyze/host_spans.h"

namespace stepscope {
namespace {

// In order of priority.
enum class Role : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataLoader,
  kCpuExec
};
constexpr size_t kRoles = 7;
using RoleIntervals = std::array<std::vector<Interval>, kRoles>;

std::vector<Interval>& At(RoleIntervals& intervals, Role role) {
  return intervals[static_cast<size_t>(role)];
}

// Appends unless the last one contains it: tracks are nested, so only the outermost count.
void AppendOutermost(std::vector<Interval>& intervals, Interval next, size_t first_of_track) {
  if (intervals.size() > first_of_track && next.end <= intervals.back().end) return;
  intervals.push_back(next);
}

// Whether a span takes part, and as what.
bool RoleOfHostSpan(const Trace& trace, uint32_t slice, Role& role) {
  if (trace.slices.kind[slice] == Kind::kCall) {
    role = Role::kRuntime;
  } else if (IsInputSpan(trace, slice)) {
    role = Role::kDataLoader;
  } else if (IsHostCollective(trace, slice)) {
    role = Role::kCommunication;
  } else if (IsOpOrRegion(trace, slice)) {
    role = Role::kCpuExec;
  } else {
    return false;
  }
  return true;
}

void AddHostSpans(const Trace& trace, RoleIntervals& intervals) {
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    std::array<size_t, kRoles> first;
    for (size_t role = 0; role < kRoles; ++role) first[role] = intervals[role].size();
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      Role role;
      if (!RoleOfHostSpan(trace, slice, role)) continue;
      AppendOutermost(At(intervals, role), {trace.slices.start[slice], trace.slices.end(slice)},
                      first[static_cast<size_t>(role)]);
    }
  }
}

// External ids of the collective ops on the host, sorted.
std::vector<uint64_t> CollectiveOps(const Trace& trace) {
  std::vector<uint64_t> ids;
  for (uint32_t slice = 0; slice < trace.slices.size(); ++slice) {
    if (!IsHostCollective(trace, slice)) continue;
    const uint32_t args = trace.slices.args[slice];
    if (args != kNoRow && trace.op_args[args].external_id != 0) {
      ids.push_back(trace.op_args[args].external_id);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

void AddDeviceWork(const Trace& trace, const DeviceWork& work, RoleIntervals& intervals) {
  const std::vector<uint64_t> collectives = CollectiveOps(trace);
  for (const Work& item : work.all()) {
    Role role = Role::kKernel;
    if (item.work_class == WorkClass::kCopy) {
      role = Role::kMemcpy;
    } else if (item.work_class == WorkClass::kMemset) {
      role = Role::kMemset;
    } else if (!collectives.empty() && item.row != kNoRow &&
               std::binary_search(collectives.begin(), collectives.end(),
                                  trace.device_args[item.row].external_id)) {
      role = Role::kCommunication;
    }
    At(intervals, role).push_back(item.interval());
  }
}

}  // namespace

std::vector<PriorityPartition> PartitionByPriority(const Trace& trace, const DeviceWork& work,
                                                   const std::vector<Interval>& windows) {
  RoleIntervals intervals;
  AddDeviceWork(trace, work, intervals);
  AddHostSpans(trace, intervals);

  std::vector<PriorityPartition> partitions(windows.size());
  for (size_t w = 0; w < windows.size(); ++w) partitions[w].other = windows[w].length();
  constexpr std::array<DurationNs PriorityPartition::*, kRoles> kFields = {
      &PriorityPartition::kernel,  &PriorityPartition::memcpy,
      &PriorityPartition::memset,  &PriorityPartition::communication,
      &PriorityPartition::runtime, &PriorityPartition::dataloader,
      &PriorityPartition::cpu_exec};
  IntervalSet taken;
  for (size_t role = 0; role < kRoles; ++role) {
    const IntervalSet set = IntervalSet::Of(std::move(intervals[role]));
    const Coverage free(set.Subtract(taken));
    for (size_t w = 0; w < windows.size(); ++w) {
      partitions[w].*kFields[role] = free.Within(windows[w]);
      partitions[w].other -= partitions[w].*kFields[role];
    }
    taken = taken.Union(set);
  }
  return partitions;
}

}  // namespace stepscope
