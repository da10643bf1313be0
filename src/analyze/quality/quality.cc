#include "analyze/quality/quality.h"

#include <algorithm>

namespace stepscope {
namespace {

// Launches whose device side is missing altogether.
uint64_t LaunchCalls(const Trace& trace) {
  uint64_t calls = 0;
  for (uint32_t slice = 0; slice < trace.slices.size(); ++slice) {
    if (trace.slices.kind[slice] == Kind::kCall && trace.Traits(slice).launch_call) ++calls;
  }
  return calls;
}

// Whether memory is on a device that no device event names.
bool DeviceIdsDiffer(const LinkedTrace& linked, std::span<const MemoryRow> memory) {
  const Trace& trace = linked.trace;
  if (linked.links.device_events == 0) return false;
  return std::any_of(memory.begin(), memory.end(), [&](const MemoryRow& row) {
    if (row.type == DeviceType::kCpu) return false;
    return std::none_of(trace.tracks.begin(), trace.tracks.end(),
                        [&](const Track& track) { return track.device == row.device; });
  });
}

}  // namespace

void AddQuality(const LinkedTrace& linked, std::span<const MemoryRow> memory,
                Diagnostics& quality) {
  const Links& links = linked.links;
  if (links.device_events > links.linked_by_correlation) {
    quality.Add(Diagnostic::kUnlinkedDeviceEvents,
                links.device_events - links.linked_by_correlation);
  }
  if (links.device_events == 0) {
    const uint64_t calls = LaunchCalls(linked.trace);
    if (calls > 0) quality.Add(Diagnostic::kNoDeviceEvents, calls);
  }
  if (DeviceIdsDiffer(linked, memory)) quality.Add(Diagnostic::kDeviceIdsDiffer);
}

}  // namespace stepscope
