#include "analyze/launches/queue_depth.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stepscope {
namespace {

using Change = std::pair<TimeNs, int>;  // a launch adds one, a start takes one away

QueueDepth SeriesOf(std::vector<Change> changes, size_t most) {
  // A start at the moment of a launch comes first: that work was never waiting together.
  std::ranges::sort(changes);
  QueueDepth series;
  int depth = 0;
  const TimeNs first = changes.front().first;
  const int64_t width = (changes.back().first - first).ns / static_cast<int64_t>(most) + 1;
  const bool whole = changes.size() <= most;
  for (const auto& [time, by] : changes) {
    depth = std::max(0, depth + by);
    const auto now = static_cast<uint32_t>(depth);
    const TimeNs at = whole ? time : TimeNs{first.ns + (time - first).ns / width * width};
    if (!series.time.empty() && series.time.back() == at) {
      series.depth.back() = whole ? now : std::max(series.depth.back(), now);
    } else {
      series.time.push_back(at);
      series.depth.push_back(now);
    }
  }
  return series;
}

}  // namespace

std::vector<QueueDepth> QueueDepthsOf(const Trace& trace, const Links& links, size_t most) {
  std::map<std::pair<int32_t, int32_t>, std::vector<Change>> by_stream;
  for (uint32_t row = 0; row < links.launch_of.size(); ++row) {
    const SliceId launch = links.launch_of[row];
    const uint32_t work = trace.device_args[row].slice;
    if (launch == kNoSlice || work == kNoRow) continue;
    const Track& track = trace.tracks[Index(trace.TrackOf(work))];
    std::vector<Change>& changes = by_stream[{track.device, track.stream}];
    const TimeNs begin = trace.slices.start[Index(launch)];
    changes.emplace_back(begin, 1);
    changes.emplace_back(std::max(begin, trace.slices.start[work]), -1);
  }
  std::vector<QueueDepth> all;
  for (auto& [stream, changes] : by_stream) {
    QueueDepth series = SeriesOf(std::move(changes), most);
    series.device = stream.first;
    series.stream = stream.second;
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace stepscope
