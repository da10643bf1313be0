#include "link/lanes.h"

#include <algorithm>
#include <numeric>

#include "base/sort_runs.h"

namespace stepscope {

std::vector<LaneGroup> LaneGroupsOf(const Trace& trace) {
  std::vector<LaneGroup> groups;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    if (trace.tracks[t].lane == 0) groups.push_back({t, t});
    groups.back().last = t + 1;
  }
  return groups;
}

LaneGroup LaneGroupOf(const Trace& trace, TrackId track) {
  const uint32_t first = Index(track) - trace.tracks[Index(track)].lane;
  uint32_t last = first + 1;
  while (last < trace.tracks.size() && trace.tracks[last].lane > 0) ++last;
  return {first, last};
}

std::vector<uint32_t> RowsInOrder(const Trace& trace, LaneGroup group) {
  const uint32_t first = trace.tracks[group.first].slices.first;
  std::vector<uint32_t> rows(trace.tracks[group.last - 1].slices.last - first);
  std::iota(rows.begin(), rows.end(), first);
  if (group.last == group.first + 1) return rows;
  const Slices& slices = trace.slices;
  SortRuns(rows, [&](uint32_t a, uint32_t b) {
    if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
    if (slices.duration[a] != slices.duration[b]) return slices.duration[a] > slices.duration[b];
    return slices.event[a] < slices.event[b];
  });
  return rows;
}

}  // namespace stepscope
