#include "analyze/idle/input_consumers.h"

#include <string_view>

namespace stepscope {
namespace {

bool IsConsumersCall(std::string_view name) {
  return name.starts_with("IteratorGetNext") || name == "Iterator::Root";
}

}  // namespace

std::vector<uint32_t> InputConsumerTracks(const Trace& trace) {
  std::vector<bool> consumes(trace.strings.size(), false);
  bool any = false;
  for (uint32_t id = 0; id < trace.strings.size(); ++id) {
    consumes[id] = trace.traits[id].input_stage && IsConsumersCall(trace.strings[StringId{id}]);
    any |= consumes[id];
  }
  std::vector<uint32_t> tracks;
  if (!any) return tracks;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    const bool ahead = trace.strings[track.name].starts_with("tf_data_multi_device");
    if (track.kind != TrackKind::kThread || ahead) continue;
    for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
      if (!consumes[Index(trace.slices.name[row])]) continue;
      tracks.push_back(t);
      break;
    }
  }
  return tracks;
}

}  // namespace stepscope
