#include "analyze/breakdown/device_sets.h"

#include <array>
#include <limits>
#include <vector>

#include "analyze/breakdown/host_ops.h"
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

// Whether the span is an op or inside one.
bool IsInOp(const Slices& slices, uint32_t slice) {
  while (slices.kind[slice] != Kind::kOp) {
    if (slices.parent[slice] == kNoSlice) return false;
    slice = Index(slices.parent[slice]);
  }
  return true;
}

struct ThreadSets {
  IntervalSet compute;
  IntervalSet communication;
};

// Stretches come by time; those that touch are one.
void AddStretch(Interval stretch, std::vector<Interval>& to) {
  if (!to.empty() && to.back().end == stretch.start) {
    to.back().end = stretch.end;
  } else {
    to.push_back(stretch);
  }
}

// `in_ops`: ops are recorded as such, and other spans are the runtime around them.
ThreadSets SetsOfThread(const Trace& trace, const Links& links, std::span<const uint32_t> lanes,
                        bool in_ops) {
  std::vector<Interval> compute;
  std::vector<Interval> communication;
  ThreadCursor cursor(trace, links, lanes);
  for (TimeNs time{std::numeric_limits<int64_t>::min()}; time < kForever;) {
    const ThreadState state = cursor.At(time);
    const Interval stretch{time, state.until};
    if (state.doing == Doing::kHostOp && (!in_ops || IsInOp(trace.slices, state.slice))) {
      AddStretch(stretch, compute);
    }
    if (state.doing == Doing::kCommunicationWait) AddStretch(stretch, communication);
    time = state.until;
  }
  return {IntervalSet::OfSorted(compute), IntervalSet::OfSorted(communication)};
}

}  // namespace

DeviceSets HostSets(const Trace& trace, const Links& links, const Threads& threads,
                    TaskPool& pool) {
  const bool in_ops = RecordsHostOps(trace);
  std::vector<ThreadSets> of_thread(threads.size());
  pool.ForEach(threads.size(), [&](size_t thread) {
    const auto lanes = threads.LanesOf(static_cast<uint32_t>(thread));
    if (IsInputThread(trace, trace.tracks[lanes.front()])) return;
    of_thread[thread] = SetsOfThread(trace, links, lanes, in_ops);
  });
  DeviceSets sets;
  for (const ThreadSets& one : of_thread) {
    sets.compute = sets.compute.Union(one.compute);
    sets.communication = sets.communication.Union(one.communication);
  }
  sets.busy = sets.compute.Union(sets.communication);
  return sets;
}

}  // namespace stepscope
