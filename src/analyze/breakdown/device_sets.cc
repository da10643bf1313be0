#include "analyze/breakdown/device_sets.h"

#include <array>
#include <numeric>
#include <vector>

#include "analyze/breakdown/host_ops.h"
#include "analyze/host_spans.h"
#include "analyze/idle/thread_state.h"

namespace stepscope {

DeviceSets SetsOf(std::span<const Work> work, WhichWork which) {
  std::array<std::vector<Interval>, 4> by_class;
  std::vector<Interval> all;
  all.reserve(work.size());
  for (const Work& item : work) {
    if (which == WhichWork::kLinked && !item.linked) continue;
    by_class[static_cast<size_t>(item.work_class)].push_back(item.interval());
    all.push_back(item.interval());
  }
  const auto set = [&](WorkClass work_class) {
    return IntervalSet::OfSorted(by_class[static_cast<size_t>(work_class)]);
  };
  return {set(WorkClass::kCompute), set(WorkClass::kCommunication), set(WorkClass::kCopy),
          set(WorkClass::kMemset), IntervalSet::OfSorted(all)};
}

namespace {

bool HasOps(const Trace& trace, std::span<const uint32_t> lanes) {
  for (const uint32_t lane : lanes) {
    const RowRange range = trace.tracks[lane].slices;
    for (uint32_t slice = range.first; slice < range.last; ++slice) {
      if (IsOpOrRegion(trace, slice)) return true;
    }
  }
  return false;
}

// Rows that hold ops; in a profile that knows of none, all of them.
std::vector<uint32_t> WorkingThreads(const Trace& trace, const Threads& threads) {
  std::vector<uint32_t> working;
  for (uint32_t thread = 0; thread < threads.size(); ++thread) {
    if (HasOps(trace, threads.LanesOf(thread))) working.push_back(thread);
  }
  if (!working.empty()) return working;
  working.resize(threads.size());
  std::iota(working.begin(), working.end(), 0u);
  return working;
}

}  // namespace

DeviceSets HostSets(const Trace& trace, const Links& links, const Threads& threads) {
  if (RecordsRuntimeAroundOps(trace)) return HostSetsOfOps(trace);
  std::vector<Interval> compute;
  std::vector<Interval> communication;
  for (const uint32_t thread : WorkingThreads(trace, threads)) {
    ThreadCursor cursor(trace, links, threads.LanesOf(thread));
    for (TimeNs time{std::numeric_limits<int64_t>::min()}; time < kForever;) {
      const ThreadState state = cursor.At(time);
      const Interval stretch{time, state.until};
      if (state.doing == Doing::kHostOp) compute.push_back(stretch);
      if (state.doing == Doing::kCommunicationWait) communication.push_back(stretch);
      time = state.until;
    }
  }
  DeviceSets sets;
  sets.compute = IntervalSet::Of(std::move(compute));
  sets.communication = IntervalSet::Of(std::move(communication));
  sets.busy = sets.compute.Union(sets.communication);
  return sets;
}

}  // namespace stepscope
