#include "analyze/comms/comms.h"

#include <algorithm>
#include <tuple>

#include "analyze/host_spans.h"
#include "base/flat_index.h"
#include "base/intervals.h"

namespace stepscope {
namespace {

// Bytes that the ops' kernels say they move.
void AddBytes(const Trace& trace, const Links& links, const DeviceWork& work, FlatIndex& index,
              std::vector<CollectiveRow>& rows) {
  for (const Work& item : work.all()) {
    if (item.work_class != WorkClass::kCommunication || item.row == kNoRow) continue;
    const SliceId op = links.op_of[item.row];
    const uint32_t collective = trace.device_args[item.row].collective;
    if (op == kNoSlice || collective == kNoRow || !IsHostCollective(trace, Index(op))) continue;
    const int64_t bytes = trace.collectives[collective].bytes;
    if (bytes < 0) continue;
    CollectiveRow& row = rows[index.Of(Index(trace.slices.name[Index(op)]))];
    row.bytes = row.bytes.value_or(0) + bytes;
  }
}

}  // namespace

std::optional<Communication> AnalyzeCommunication(const Trace& trace, const Links& links,
                                                  const DeviceWork& work) {
  Communication result;
  FlatIndex index;
  std::vector<Interval> ops;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      if (!IsHostCollective(trace, slice)) continue;
      const StringId name = trace.slices.name[slice];
      const uint32_t at = index.Of(Index(name));
      if (at == result.by_collective.size()) {
        result.by_collective.emplace_back().name = trace.strings[name];
      }
      ++result.by_collective[at].calls;
      result.by_collective[at].total += trace.slices.duration[slice];
      ops.push_back({trace.slices.start[slice], trace.slices.end(slice)});
    }
  }
  if (result.by_collective.empty()) return std::nullopt;
  AddBytes(trace, links, work, index, result.by_collective);

  std::vector<Interval> kernels;
  for (const Work& item : work.all()) {
    if (item.work_class == WorkClass::kCompute) kernels.push_back(item.interval());
  }
  const IntervalSet collectives = IntervalSet::Of(std::move(ops));
  result.union_time = collectives.length();
  result.overlap_with_kernels = collectives.OverlapWith(IntervalSet::Of(std::move(kernels)));
  result.exposed_vs_kernels = result.union_time - result.overlap_with_kernels;
  std::sort(result.by_collective.begin(), result.by_collective.end(),
            [](const CollectiveRow& a, const CollectiveRow& b) {
              return std::tie(b.total, a.name) < std::tie(a.total, b.name);
            });
  return result;
}

}  // namespace stepscope
