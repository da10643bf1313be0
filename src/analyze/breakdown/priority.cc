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
using RoleSets = std::array<std::vector<IntervalSet>, kRoles>;  // to be joined

size_t At(Role role) { return static_cast<size_t>(role); }

// Union of sorted sets: O(n log sets), where a sort of all intervals would be O(n log n).
IntervalSet Join(std::vector<IntervalSet> sets) {
  if (sets.empty()) return {};
  while (sets.size() > 1) {
    for (size_t i = 0; i + 1 < sets.size(); i += 2) sets[i / 2] = sets[i].Union(sets[i + 1]);
    if (sets.size() % 2 == 1) sets[sets.size() / 2] = std::move(sets.back());
    sets.resize((sets.size() + 1) / 2);
  }
  return std::move(sets.front());
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
  std::array<std::vector<Interval>, kRoles> of_track;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    for (auto& intervals : of_track) intervals.clear();
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      Role role;
      if (!RoleOfHostSpan(trace, slice, role)) continue;
      // Tracks are nested, so only the outermost of a role count.
      std::vector<Interval>& intervals = of_track[At(role)];
      const Interval span{slices.start[slice], slices.end(slice)};
      if (intervals.empty() || span.end > intervals.back().end) intervals.push_back(span);
    }
    for (size_t role = 0; role < kRoles; ++role) {
      if (!of_track[role].empty()) sets[role].push_back(IntervalSet::OfSorted(of_track[role]));
    }
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
    std::array<std::vector<Interval>, kRoles> of_device;
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
      of_device[At(role)].push_back(item.interval());
    }
    for (size_t role = 0; role < kRoles; ++role) {
      sets[role].push_back(IntervalSet::OfSorted(of_device[role]));
    }
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
  IntervalSet taken;
  for (size_t role = 0; role < kRoles; ++role) {
    const IntervalSet set = Join(std::move(sets[role]));
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
