#include "link/device_work.h"

#include <algorithm>

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

class InOrder {
 public:
  explicit InOrder(const Slices& slices) : slices_(slices) {}
  bool operator()(const WorkSpan::Item& a, const WorkSpan::Item& b) const {
    if (a.device != b.device) return a.device < b.device;
    const TimeNs start_a = slices_.start[a.slice];
    const TimeNs start_b = slices_.start[b.slice];
    return start_a != start_b ? start_a < start_b : a.slice < b.slice;
  }

 private:
  const Slices& slices_;
};

// Makes one piece after the other; most are on the device of the one before.
class WorkMaker {
 public:
  WorkMaker(const Trace& trace, const Links& links) : trace_(trace), links_(links) {}

  // `number`: of the device. False where there is none with that number.
  bool Make(uint32_t slice, uint32_t row, int32_t number, WorkSpan::Item& item) {
    if (number != number_) {
      number_ = number;
      device_ = DeviceIndexOf(trace_, number);
    }
    if (device_ < 0) return false;
    const bool linked = row != kNoRow && row < links_.method_of.size() &&
                        links_.method_of[row] == LinkMethod::kCorrelation;
    item.slice = slice;
    item.device = static_cast<uint32_t>(device_) & 0xffffffU;
    item.work_class = static_cast<uint32_t>(ClassOf(trace_.slices.kind[slice])) & 0x7fU;
    item.linked = linked ? 1 : 0;
    return true;
  }

 private:
  const Trace& trace_;
  const Links& links_;
  int32_t number_ = -1;
  int32_t device_ = DeviceIndexOf(trace_, number_);
};

// All of it in the order of its args, which is the file's. False where that is not the order of
// time, or where some has no args.
bool TakeInOrderOfArgs(const Trace& trace, const Links& links, std::vector<WorkSpan::Item>& work) {
  WorkMaker maker(trace, links);
  const InOrder before(trace.slices);
  ptrdiff_t with_args = 0;
  for (uint32_t row = 0; row < trace.device_args.size(); ++row) {
    const DeviceArgs& args = trace.device_args[row];
    if (args.slice == kNoRow || !IsDeviceWork(trace.slices.kind[args.slice])) continue;
    ++with_args;
    WorkSpan::Item item;
    if (!maker.Make(args.slice, row, args.device, item)) continue;
    if (!work.empty() && before(item, work.back())) return false;
    work.push_back(item);
  }
  return with_args == std::ranges::count_if(trace.slices.kind, IsDeviceWork);
}

}  // namespace

DeviceWork::DeviceWork(const Trace& trace, const Links& links) : slices_(&trace.slices) {
  items_.reserve(trace.device_args.size());
  if (!TakeInOrderOfArgs(trace, links, items_)) {
    items_.clear();
    TakeByTrack(trace, links);
    SortRuns(items_, InOrder(trace.slices));  // one ascending run per stream
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
      WorkSpan::Item item;
      if (maker.Make(slice, row, number, item)) items_.push_back(item);
    }
  }
}

void DeviceWork::FindRanges(size_t devices) {
  ranges_.resize(devices);
  for (uint32_t i = 0; i < items_.size(); ++i) {
    RowRange& range = ranges_[static_cast<size_t>(items_[i].device)];
    if (range.empty()) {
      range = {i, i};
      devices_.push_back(static_cast<int32_t>(items_[i].device));
    }
    range.last = i + 1;
  }
}

WorkSpan DeviceWork::Of(int32_t device) const {
  const RowRange range = ranges_[static_cast<size_t>(device)];
  if (range.empty()) return {};
  return {*slices_, std::span(items_).subspan(range.first, range.size())};
}

}  // namespace stepscope
