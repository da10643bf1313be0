#include "analyze/breakdown/device_sets.h"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "analyze/breakdown/host_ops.h"
#include "analyze/idle/thread_state.h"
#include "base/interval_set_builder.h"

namespace stepscope {

DeviceSets SetsOf(std::span<const Work> work, WhichWork which) {
  std::array<IntervalSetBuilder, 4> by_class;
  IntervalSetBuilder all;
  std::array<size_t, 4> counts{};
  for (const Work& item : work) ++counts[static_cast<size_t>(item.work_class)];
  for (size_t i = 0; i < counts.size(); ++i) by_class[i].Reserve(counts[i]);
  all.Reserve(work.size());
  for (const Work& item : work) {
    if (which == WhichWork::kLinked && !item.linked) continue;
    by_class[static_cast<size_t>(item.work_class)].Add(item.interval());
    all.Add(item.interval());
  }
  const auto set = [&](WorkClass work_class) {
    return std::move(by_class[static_cast<size_t>(work_class)]).Take();
  };
  return {set(WorkClass::kCompute), set(WorkClass::kCommunication), set(WorkClass::kCopy),
          set(WorkClass::kMemset), std::move(all).Take()};
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

// `in_ops`: ops are recorded as such, and other spans are the runtime around them.
ThreadSets SetsOfThread(const Trace& trace, const Links& links, std::span<const uint32_t> lanes,
                        bool in_ops) {
  IntervalSetBuilder compute;
  IntervalSetBuilder communication;
  ThreadCursor cursor(trace, links, lanes);
  for (TimeNs time{std::numeric_limits<int64_t>::min()}; time < kForever;) {
    const ThreadState state = cursor.At(time);
    const Interval stretch{time, state.until};
    if (state.doing == Doing::kHostOp && (!in_ops || IsInOp(trace.slices, state.slice))) {
      compute.Add(stretch);
    }
    if (state.doing == Doing::kCommunicationWait) communication.Add(stretch);
    time = state.until;
  }
  return {std::move(compute).Take(), std::move(communication).Take()};
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
  const auto join = [](IntervalSet& all, IntervalSet one) {
    if (!one.empty()) all = all.empty() ? std::move(one) : all.Union(one);
  };
  for (ThreadSets& one : of_thread) {
    join(sets.compute, std::move(one.compute));
    join(sets.communication, std::move(one.communication));
  }
  sets.busy = sets.compute.Union(sets.communication);
  return sets;
}

}  // namespace stepscope
