#include "read/perfetto/flows.h"

#include <algorithm>
#include <tuple>

namespace stepscope::perfetto {
namespace {

std::vector<bool> DeviceTracks(const EventBlock& block) {
  std::vector<bool> device(block.tracks.size(), false);
  for (size_t i = 0; i < block.track.size(); ++i) {
    if (IsDeviceWork(block.kind[i])) device[block.track[i]] = true;
  }
  for (const EventBlock::Half& half : block.halves) {
    if (IsDeviceWork(half.kind)) device[half.track] = true;
  }
  return device;
}

}  // namespace

void Flows::Finish(BlockWriter& out) {
  std::ranges::stable_sort(uses_, [](const Use& a, const Use& b) {
    return std::tie(a.id, a.time) < std::tie(b.id, b.time);
  });
  EventBlock& block = out.block();
  const std::vector<bool> device = DeviceTracks(block);
  const StringId launch = block.strings.Intern("launch");
  const StringId flow = block.strings.Intern("flow");
  uint64_t next_id = 0;
  for (size_t first = 0; first < uses_.size();) {
    size_t last = first + 1;
    while (last < uses_.size() && uses_[last].id == uses_[first].id &&
           !uses_[last - 1].terminates) {
      ++last;
    }
    // Pairs, so that each step is an arrow of its own.
    for (size_t i = first; i + 1 < last; ++i) {
      const Use& from = uses_[i];
      const Use& to = uses_[i + 1];
      const StringId name = device[to.track] && !device[from.track] ? launch : flow;
      ++next_id;
      block.flows.push_back({next_id, TimeNs{from.time}, name, TrackId{from.track}, from.event,
                             FlowPhase::kStart, true});
      block.flows.push_back(
          {next_id, TimeNs{to.time}, name, TrackId{to.track}, to.event, FlowPhase::kEnd, true});
    }
    // A stage that nobody submitted is no flow.
    if (last == first + 1 && (uses_[first].id & kStageFlow) == 0) {
      ++next_id;
      block.flows.push_back({next_id, TimeNs{uses_[first].time}, flow, TrackId{uses_[first].track},
                             uses_[first].event, FlowPhase::kStart, true});
    }
    first = last;
  }
}

}  // namespace stepscope::perfetto
