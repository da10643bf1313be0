#include "analyze/breakdown/priority.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "analyze/coverage.h"
#include "analyze/host_spans.h"
#include "base/interval_set_builder.h"

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
using RoleSets = std::array<std::vector<IntervalSet>, kRoles>;  // to be joined

size_t At(Role role) { return static_cast<size_t>(role); }

void AddSets(std::array<IntervalSetBuilder, kRoles>& of_roles, RoleSets& sets) {
  for (size_t role = 0; role < kRoles; ++role) {
    IntervalSet set = std::move(of_roles[role]).Take();
    if (!set.empty()) sets[role].push_back(std::move(set));
  }
}

// What of the set is in none of the others, of which there is at least one.
IntervalSet Without(const IntervalSet& set, std::span<const IntervalSet> others) {
  IntervalSet left = set.Subtract(others.front());
  for (const IntervalSet& other : others.subspan(1)) left = left.Subtract(other);
  return left;
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

void AddHostSpans(const Trace& trace, RoleSets& sets) {
  const Slices& slices = trace.slices;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    std::array<IntervalSetBuilder, kRoles> of_track;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      Role role;
      if (!RoleOfHostSpan(trace, slice, role)) continue;
      of_track[At(role)].Add({slices.start[slice], slices.end(slice)});
    }
    AddSets(of_track, sets);
  }
}

// External ids of the collective ops on the host, sorted.
std::vector<uint64_t> CollectiveOps(const Trace& trace) {
  std::vector<uint64_t> ids;
  const auto communicates = [](const NameTraits& traits) { return traits.communication; };
  if (std::ranges::none_of(trace.traits, communicates)) return ids;
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

void AddDeviceWork(const Trace& trace, const DeviceWork& work, RoleSets& sets) {
  const std::vector<uint64_t> collectives = CollectiveOps(trace);
  for (const int32_t device : work.devices()) {
    std::array<IntervalSetBuilder, kRoles> of_device;
    of_device[At(Role::kKernel)].Reserve(work.Of(device).size());
    for (const Work& item : work.Of(device)) {
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
      of_device[At(role)].Add(item.interval());
    }
    AddSets(of_device, sets);
  }
}

}  // namespace

std::vector<PriorityPartition> PartitionByPriority(const Trace& trace, const DeviceWork& work,
                                                   const std::vector<Interval>& windows) {
  RoleSets sets;
  AddDeviceWork(trace, work, sets);
  AddHostSpans(trace, sets);

  std::vector<PriorityPartition> partitions(windows.size());
  for (size_t w = 0; w < windows.size(); ++w) partitions[w].other = windows[w].length();
  constexpr std::array<DurationNs PriorityPartition::*, kRoles> kFields = {
      &PriorityPartition::kernel,  &PriorityPartition::memcpy,
      &PriorityPartition::memset,  &PriorityPartition::communication,
      &PriorityPartition::runtime, &PriorityPartition::dataloader,
      &PriorityPartition::cpu_exec};
  std::vector<IntervalSet> taken;
  for (size_t role = 0; role < kRoles; ++role) {
    IntervalSet set = JoinSets(std::move(sets[role]));
    if (set.empty()) continue;
    const Coverage free = taken.empty() ? Coverage(set) : Coverage(Without(set, taken));
    for (size_t w = 0; w < windows.size(); ++w) {
      partitions[w].*kFields[role] = free.Within(windows[w]);
      partitions[w].other -= partitions[w].*kFields[role];
    }
    taken.push_back(std::move(set));
  }
  return partitions;
}

}  // namespace stepscope
