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

// Makes one piece after the other; most are on the device of the one before.
class WorkMaker {
 public:
  WorkMaker(const Trace& trace, const Links& links) : trace_(trace), links_(links) {}

  // `number`: of the device. The result's device is < 0 where there is none with that number.
  Work Make(uint32_t slice, uint32_t row, int32_t number) {
    if (number != number_) {
      number_ = number;
      device_ = DeviceIndexOf(trace_, number);
    }
    const Slices& slices = trace_.slices;
    const bool linked = row != kNoRow && row < links_.method_of.size() &&
                        links_.method_of[row] == LinkMethod::kCorrelation;
    return {slices.start[slice],
            slices.end(slice),
            slice,
            row,
            device_,
            ClassOf(slices.kind[slice]),
            linked};
  }

 private:
  const Trace& trace_;
  const Links& links_;
  int32_t number_ = -1;
  int32_t device_ = DeviceIndexOf(trace_, number_);
};

// All of it in the order of its args, which is the file's. False where that is not the order of
// time, or where some has no args.
bool TakeInOrderOfArgs(const Trace& trace, const Links& links, std::vector<Work>& work) {
  WorkMaker maker(trace, links);
  ptrdiff_t with_args = 0;
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const DeviceArgs& args = trace.device_args[row];
    if (args.slice == kNoRow || !IsDeviceWork(trace.slices.kind[args.slice])) continue;
    ++with_args;
    const Work item = maker.Make(args.slice, row, args.device);
    if (item.device < 0) continue;
    if (!work.empty() && Before(item, work.back())) return false;
    work.push_back(item);
  }
  return with_args == std::ranges::count_if(trace.slices.kind, IsDeviceWork);
}

}  // namespace

DeviceWork::DeviceWork(const Trace& trace, const Links& links) {
  work_.reserve(trace.device_args.size());
  if (!TakeInOrderOfArgs(trace, links, work_)) {
    work_.clear();
    TakeByTrack(trace, links);
    SortRuns(work_, Before);  // one ascending run per stream
  }
  FindRanges(trace.devices.size());
}

void DeviceWork::TakeByTrack(const Trace& trace, const Links& links) {
  const Slices& slices = trace.slices;
  WorkMaker maker(trace, links);
  for (const Track& track : trace.tracks) {
    int32_t number = track.device;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      if (!IsDeviceWork(slices.kind[slice])) continue;
      const uint32_t row = slices.args[slice];
      if (row != kNoRow) number = trace.device_args[row].device;
      const Work item = maker.Make(slice, row, number);
      if (item.device >= 0) work_.push_back(item);
    }
  }
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
