#include "analyze/breakdown/host_ops.h"

#include <algorithm>
#include <vector>

namespace stepscope {

bool IsInputThread(const Trace& trace, const Track& track) {
  return trace.strings[track.name].starts_with("tf_data");
}

bool RecordsRuntimeAroundOps(const Trace& trace) {
  if (trace.facts.format != Format::kXPlane && trace.facts.format != Format::kRunMetadata) {
    return false;
  }
  return std::find(trace.slices.kind.begin(), trace.slices.kind.end(), Kind::kOp) !=
         trace.slices.kind.end();
}

DeviceSets HostSetsOfOps(const Trace& trace) {
  DeviceSets sets;
  std::vector<Interval> compute, communication;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::kThread || IsInputThread(trace, track)) continue;
    compute.clear();
    communication.clear();
    TimeNs input_until{};  // ops inside an input stage belong to it
    for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
      const Kind kind = trace.slices.kind[row];
      const Interval span{trace.slices.start[row], trace.slices.end(row)};
      const bool input =
          kind == Kind::kInput || (kind == Kind::kOp && trace.Traits(row).input_stage);
      if (input) input_until = std::max(input_until, span.end);
      if (kind != Kind::kOp || input || span.start < input_until) continue;
      (trace.Traits(row).communication ? communication : compute).push_back(span);
    }
    sets.compute = sets.compute.Union(IntervalSet::OfSorted(compute));
    sets.communication = sets.communication.Union(IntervalSet::OfSorted(communication));
  }
  sets.busy = sets.compute.Union(sets.communication);
  return sets;
}

}  // namespace stepscope
