#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/intervals.h"
#include "base/time.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

enum class WorkClass : uint8_t { kCompute, kCommunication, kCopy, kMemset };

// One piece of device work, with everything that analyses of devices ask about it.
struct Work {
  TimeNs start;
  TimeNs end;
  uint32_t slice = 0;
  uint32_t row = kNoRow;  // in Trace::device_args, kNoRow where the file gives no args
  int32_t device = 0;     // index into Trace::devices
  WorkClass work_class = WorkClass::kCompute;
  bool linked = false;  // by correlation: the contract's "linked"

  Interval interval() const { return {start, end}; }
};

// Device work of all devices in the order it started. Built once, read by all analyses.
class DeviceWork {
 public:
  DeviceWork() = default;  // none
  // O(n), plus a sort where streams interleave.
  DeviceWork(const Trace& trace, const Links& links);

  // By (start, slice).
  std::span<const Work> Of(int32_t device) const;
  std::span<const int32_t> devices() const { return devices_; }  // those with work, ascending
  bool empty() const { return work_.empty(); }
  size_t size() const { return work_.size(); }
  // All of it, device by device.
  std::span<const Work> all() const { return work_; }
  // The part for which keep(work) holds.
  template <typename Keep>
  DeviceWork Where(Keep keep) const {
    DeviceWork part;
    std::copy_if(work_.begin(), work_.end(), std::back_inserter(part.work_), keep);
    part.FindRanges(ranges_.size());
    return part;
  }

 private:
  void TakeByTrack(const Trace& trace, const Links& links);
  void FindRanges(size_t devices);

  std::vector<Work> work_;  // by (device, start, slice)
  std::vector<int32_t> devices_;
  std::vector<RowRange> ranges_;  // by Trace::devices index
};

}  // namespace stepscope
