#include "read/xplane/frees.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace stepscope::xplane {

void SizeFrees(std::span<EventBlock> blocks) {
  const bool unsized = std::ranges::any_of(blocks, [](const EventBlock& block) {
    return std::ranges::any_of(block.allocations, [](const Allocation& a) { return a.bytes == 0; });
  });
  if (!unsized) return;
  std::vector<Allocation*> all;
  for (EventBlock& block : blocks) {
    for (Allocation& allocation : block.allocations) all.push_back(&allocation);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Allocation* a, const Allocation* b) { return a->time < b->time; });
  std::map<std::tuple<DeviceType, int32_t, uint64_t>, int64_t> live;
  for (Allocation* allocation : all) {
    const std::tuple at(allocation->device_type, allocation->device, allocation->address);
    if (allocation->bytes > 0) {
      live[at] = allocation->bytes;
      continue;
    }
    const auto known = live.find(at);
    if (known == live.end()) continue;
    if (allocation->bytes == 0) allocation->bytes = -known->second;
    live.erase(known);
  }
}

}  // namespace stepscope::xplane
