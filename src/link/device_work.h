#pragma once

#include <cstddef>
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

// A run of device work. Items are put together from the columns of the trace as they are asked for:
// 8 bytes each instead of 32, and nothing that is not looked at is loaded. The trace must outlive
// it.
class WorkSpan {
 public:
  // What the trace does not say itself.
  struct Item {
    uint32_t slice;
    uint32_t device : 24;
    uint32_t work_class : 7;
    uint32_t linked : 1;
  };
  static_assert(sizeof(Item) == 8);

  class Iterator {
   public:
    using value_type = Work;
    using difference_type = std::ptrdiff_t;
    using reference = Work;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    Iterator() = default;
    Iterator(const Slices* slices, const Item* at) : slices_(slices), at_(at) {}
    Work operator*() const { return Make(*slices_, *at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {slices_, at_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Slices* slices_ = nullptr;
    const Item* at_ = nullptr;
  };

  WorkSpan() = default;  // none
  WorkSpan(const Slices& slices, std::span<const Item> items) : slices_(&slices), items_(items) {}

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  Work operator[](size_t i) const { return Make(*slices_, items_[i]); }
  Work front() const { return (*this)[0]; }
  Iterator begin() const { return {slices_, items_.data()}; }
  Iterator end() const { return {slices_, items_.data() + items_.size()}; }

 private:
  [[gnu::always_inline]] static Work Make(const Slices& slices, Item item) {
    const TimeNs start = slices.start[item.slice];
    return {start,
            start + slices.duration[item.slice],
            item.slice,
            slices.args[item.slice],
            static_cast<int32_t>(item.device),
            static_cast<WorkClass>(item.work_class),
            item.linked != 0};
  }

  const Slices* slices_ = nullptr;
  std::span<const Item> items_;
};

// Device work of all devices in the order it started. Built once, read by all analyses. The trace
// must outlive it.
class DeviceWork {
 public:
  DeviceWork() = default;  // none
  // O(n), plus a sort where streams interleave.
  DeviceWork(const Trace& trace, const Links& links);

  // By (start, slice).
  WorkSpan Of(int32_t device) const;
  std::span<const int32_t> devices() const { return devices_; }  // those with work, ascending
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  // All of it, device by device.
  WorkSpan all() const { return empty() ? WorkSpan() : WorkSpan(*slices_, items_); }
  size_t Bytes() const { return items_.capacity() * sizeof(WorkSpan::Item); }  // on the heap
  // The part for which keep(work) holds.
  template <typename Keep>
  DeviceWork Where(Keep keep) const {
    DeviceWork part;
    part.slices_ = slices_;
    const WorkSpan whole = all();
    for (size_t i = 0; i < items_.size(); ++i) {
      if (keep(whole[i])) part.items_.push_back(items_[i]);
    }
    part.FindRanges(ranges_.size());
    return part;
  }

 private:
  void TakeByTrack(const Trace& trace, const Links& links);
  void FindRanges(size_t devices);

  const Slices* slices_ = nullptr;
  std::vector<WorkSpan::Item> items_;  // by (device, start, slice)
  std::vector<int32_t> devices_;
  std::vector<RowRange> ranges_;  // by Trace::devices index
};

}  // namespace stepscope
