#include "analyze/breakdown/device_sets.h"

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "analyze/breakdown/host_ops.h"
#include "analyze/idle/thread_state.h"
#include "analyze/ops/call_tree.h"

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

DeviceSets HostSets(const Trace& trace, const Links& links, const Threads& threads) {
  // Where ops are recorded as such, other spans are the runtime around them.
  std::optional<CallTree> ops;
  if (RecordsHostOps(trace)) ops.emplace(Kind::kOp, trace);
  DeviceSets sets;
  std::vector<Interval> compute;
  std::vector<Interval> communication;
  for (uint32_t thread = 0; thread < threads.size(); ++thread) {
    const auto lanes = threads.LanesOf(thread);
    if (IsInputThread(trace, trace.tracks[lanes.front()])) continue;
    compute.clear();
    communication.clear();
    ThreadCursor cursor(trace, links, lanes);
    for (TimeNs time{std::numeric_limits<int64_t>::min()}; time < kForever;) {
      const ThreadState state = cursor.At(time);
      const Interval stretch{time, state.until};
      const bool in_op =
          state.doing == Doing::kHostOp && (!ops || ops->InnermostAt(state.slice) != kNoRow);
      if (in_op) compute.push_back(stretch);
      if (state.doing == Doing::kCommunicationWait) communication.push_back(stretch);
      time = state.until;
    }
    sets.compute = sets.compute.Union(IntervalSet::OfSorted(compute));
    sets.communication = sets.communication.Union(IntervalSet::OfSorted(communication));
  }
  sets.busy = sets.compute.Union(sets.communication);
  return sets;
}

}  // namespace stepscope
