#include "link/windows.h"

#include <algorithm>
#include <numeric>

namespace stepscope {

std::vector<Interval> WindowsOf(const Trace& trace, const DeviceWork& work, const Steps& steps) {
  std::vector<Interval> windows;
  if (!steps.items.empty()) {
    windows.reserve(steps.items.size());
    for (const Step& step : steps.items) windows.push_back({step.start, step.end()});
    return windows;
  }
  if (work.empty()) {
    if (trace.slices.size() > 0) windows.push_back({TimeNs{}, TimeNs{} + trace.span});
    return windows;
  }
  Interval all = work.all().front().interval();
  for (const Work& item : work.all()) {
    all.start = std::min(all.start, item.start);
    all.end = std::max(all.end, item.end);
  }
  windows.push_back(all);
  return windows;
}

uint32_t MedianWindow(const std::vector<Interval>& windows, const Steps& steps) {
  std::vector<uint32_t> used;
  for (uint32_t i = 0; i < windows.size(); ++i) {
    if (steps.items.empty() || steps.items[i].used()) used.push_back(i);
  }
  if (used.empty()) {
    used.resize(windows.size());
    std::iota(used.begin(), used.end(), 0u);
  }
  if (used.empty()) return kNoRow;
  const auto middle = used.begin() + static_cast<std::ptrdiff_t>((used.size() - 1) / 2);
  std::nth_element(used.begin(), middle, used.end(), [&](uint32_t a, uint32_t b) {
    const DurationNs left = windows[a].length();
    const DurationNs right = windows[b].length();
    return left != right ? left < right : a < b;
  });
  return *middle;
}

std::optional<int32_t> HostDevice(const Trace& trace, const DeviceWork& work) {
  if (!work.empty()) return std::nullopt;
  // Nsight Systems records calls of libraries, most of which wait: without ops nothing says what
  // the CPU worked on.
  const auto& kinds = trace.slices.kind;
  if (trace.facts.format == Format::kNsys && std::ranges::find(kinds, Kind::kOp) == kinds.end()) {
    return std::nullopt;
  }
  for (uint32_t slice = 0; slice < trace.slices.size(); ++slice) {
    const bool call = trace.slices.kind[slice] == Kind::kCall;
    if (call && trace.Traits(slice).launch_call) return std::nullopt;
  }
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    if (trace.devices[i].type == DeviceType::kCpu) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

size_t StepsKeptByPlugin(const Steps& steps) {
  std::vector<uint64_t> launched(steps.items.size(), 0);
  uint64_t total = 0;
  for (const uint32_t step : steps.step_of_device) {
    if (step == kNoRow) continue;
    ++launched[step];
    ++total;
  }
  size_t kept = launched.size();
  if (total == 0 || kept < 2) return kept;
  while (launched[kept - 1] == 0) --kept;
  if (kept > 1 && launched[kept - 2] * 4 > launched[kept - 1] * 5) --kept;
  return kept;
}

}  // namespace stepscope
