#include "link/device_work.h"

#include <algorithm>
#include <tuple>

#include "base/sort_runs.h"

namespace stepscope {
namespace {

WorkClass ClassOf(Kind kind) {
  if (kind == Kind::kCollective) return WorkClass::kCommunication;
  if (kind == Kind::kCopy) return WorkClass::kCopy;
  if (kind == Kind::kMemset) return WorkClass::kMemset;
  return WorkClass::kCompute;
}

// Index into Trace::devices of the accelerator with that number, -1 when there is none.
int32_t DeviceIndexOf(const Trace& trace, int32_t number) {
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    if (trace.devices[i].index == number && trace.devices[i].type != DeviceType::kCpu) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

bool Before(const Work& a, const Work& b) {
  return std::tie(a.device, a.start, a.slice) < std::tie(b.device, b.start, b.slice);
}

}  // namespace

DeviceWork::DeviceWork(const Trace& trace, const Links& links) {
  work_.reserve(trace.device_args.size());
  const Slices& slices = trace.slices;
  for (const Track& track : trace.tracks) {
    int32_t number = track.device;
    int32_t device = DeviceIndexOf(trace, number);
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      if (!IsDeviceWork(slices.kind[slice])) continue;
      const uint32_t row = slices.args[slice];
      if (row != kNoRow && trace.device_args[row].device != number) {
        number = trace.device_args[row].device;
        device = DeviceIndexOf(trace, number);
      }
      if (device < 0) continue;
      const bool linked = row != kNoRow && row < links.method_of.size() &&
                          links.method_of[row] == LinkMethod::kCorrelation;
      work_.push_back({slices.start[slice], slices.end(slice), slice, row, device,
                       ClassOf(slices.kind[slice]), linked});
    }
  }
  SortRuns(work_, Before);  // one ascending run per stream
  FindRanges(trace.devices.size());
}

void DeviceWork::FindRanges(size_t devices) {
  ranges_.resize(devices);
  for (uint32_t i = 0; i < work_.size(); ++i) {
    RowRange& range = ranges_[static_cast<size_t>(work_[i].device)];
    if (range.empty()) {
      range = {i, i};
      devices_.push_back(work_[i].device);
    }
    range.last = i + 1;
  }
}

std::span<const Work> DeviceWork::Of(int32_t device) const {
  const RowRange range = ranges_[static_cast<size_t>(device)];
  return std::span(work_).subspan(range.first, range.size());
}

}  // namespace stepscope
