#include "analyze/memory/memory.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/flat_index.h"

namespace stepscope {
namespace {

// A damaged file may claim any number of bytes: sums stop at the ends of the range.
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}
int64_t Minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

constexpr size_t kTopOps = 10;

// Allocations and frees of one device, as indices into Trace::allocations, by time.
struct DeviceAllocations {
  DeviceType type;
  int32_t device;
  std::vector<uint32_t> events;
};

// The host's memory is cpu:0 whatever number the allocator gives it (Kineto says -1).
std::vector<DeviceAllocations> ByDevice(const Trace& trace) {
  std::vector<DeviceAllocations> devices;
  for (uint32_t i = 0; i < trace.allocations.size(); ++i) {
    const Allocation& event = trace.allocations[i];
    const bool host = event.device_type == DeviceType::kCpu;
    const int32_t device = host ? 0 : event.device;
    auto at = std::find_if(devices.begin(), devices.end(), [&](const DeviceAllocations& known) {
      return known.type == event.device_type && known.device == device;
    });
    if (at == devices.end()) {
      devices.push_back({event.device_type, device, {}});
      at = devices.end() - 1;
    }
    at->events.push_back(i);
  }
  std::sort(devices.begin(), devices.end(),
            [](const DeviceAllocations& a, const DeviceAllocations& b) {
              return std::tie(a.type, a.device) < std::tie(b.type, b.device);
            });
  return devices;
}

// What is allocated at a point of the replay, by address.
class Live {
 public:
  void Apply(const std::vector<Allocation>& allocations, uint32_t event) {
    const Allocation& allocation = allocations[event];
    const uint32_t slot = slots_.Of(allocation.address);
    if (slot == holder_.size()) holder_.push_back(kNoRow);
    holder_[slot] = allocation.bytes > 0 ? event : kNoRow;
  }
  // Allocations that are live now, in no order that matters.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const uint32_t event : holder_) {
      if (event != kNoRow) visit(event);
    }
  }

 private:
  FlatIndex slots_;               // address
  std::vector<uint32_t> holder_;  // by slot: the allocation that holds it, or kNoRow
};

// Without addresses, frees cannot be matched, and what is live is unknown.
bool KnowsAddresses(const Trace& trace, const DeviceAllocations& device) {
  return std::all_of(device.events.begin(), device.events.end(),
                     [&](uint32_t event) { return trace.allocations[event].address != 0; });
}

bool IsOp(Kind kind) { return kind == Kind::kOp; }

StringId OpOf(const Trace& trace, const Allocation& allocation) {
  if (allocation.op != kEmptyString) return allocation.op;
  if (allocation.track == kNoTrack) return kEmptyString;
  const SliceId op = InnermostAt(trace, allocation.track, allocation.time, IsOp);
  return op == kNoSlice ? kEmptyString : trace.slices.name[Index(op)];
}

// Who holds what is live after the first `count` events.
std::vector<MemoryTopOp> TopOps(const Trace& trace, const DeviceAllocations& device, size_t count) {
  Live live;
  for (size_t i = 0; i < count; ++i) live.Apply(trace.allocations, device.events[i]);
  FlatIndex index;
  std::vector<MemoryTopOp> ops;
  live.ForEach([&](uint32_t event) {
    const StringId op = OpOf(trace, trace.allocations[event]);
    const uint32_t at = index.Of(Index(op));
    if (at == ops.size()) ops.push_back({op, 0});
    ops[at].bytes = Plus(ops[at].bytes, trace.allocations[event].bytes);
  });
  std::sort(ops.begin(), ops.end(), [&](const MemoryTopOp& a, const MemoryTopOp& b) {
    return std::tuple(b.bytes, trace.strings[a.op]) < std::tuple(a.bytes, trace.strings[b.op]);
  });
  if (ops.size() > kTopOps) ops.resize(kTopOps);
  return ops;
}

// The step in which the host allocated, by its marker if there is one, because device work lags
// behind.
uint32_t StepAt(const Steps& steps, TimeNs time) {
  const auto host_start = [](const Step& step) {
    return step.marker != kNoSlice ? step.host_start : step.start;
  };
  const auto after =
      std::partition_point(steps.items.begin(), steps.items.end(),
                           [&](const Step& step) { return host_start(step) <= time; });
  if (after == steps.items.begin()) return kNoRow;
  const Step& step = *(after - 1);
  const TimeNs end = step.marker != kNoSlice ? step.host_start + step.host_duration : step.end();
  return time < end ? static_cast<uint32_t>(after - 1 - steps.items.begin()) : kNoRow;
}

// Median over the used steps but the last of the bytes allocated in the step and never freed.
std::optional<int64_t> GrowthPerStep(const Trace& trace, const DeviceAllocations& device,
                                     const Steps& steps) {
  std::vector<int64_t> kept(steps.items.size(), 0);
  Live live;
  for (const uint32_t event : device.events) live.Apply(trace.allocations, event);
  live.ForEach([&](uint32_t event) {
    const uint32_t step = StepAt(steps, trace.allocations[event].time);
    if (step != kNoRow) kept[step] = Plus(kept[step], trace.allocations[event].bytes);
  });
  std::vector<int64_t> used;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (steps.items[i].used()) used.push_back(kept[i]);
  }
  if (used.size() < 2) return std::nullopt;
  used.pop_back();
  const auto middle = used.begin() + static_cast<std::ptrdiff_t>((used.size() - 1) / 2);
  std::nth_element(used.begin(), middle, used.end());
  return *middle;
}

// What each allocator of a device reports, and their sum at any time. Before its first event an
// allocator held what it reported then, less what that event changed.
class Allocators {
 public:
  Allocators(const Trace& trace, const DeviceAllocations& device) {
    for (const uint32_t i : device.events) {
      const Allocation& event = trace.allocations[i];
      const uint32_t at = index_.Of(Index(event.allocator));
      if (at < all_.size()) continue;
      all_.push_back({{.name = event.allocator}, 0, 0});
      if (event.total_allocated < 0) continue;
      all_.back().allocated = std::max<int64_t>(Minus(event.total_allocated, event.bytes), 0);
      allocated_ = Plus(allocated_, all_.back().allocated);
    }
  }

  void Apply(const Allocation& event) {
    One& one = all_[index_.Of(Index(event.allocator))];
    one.shown.allocations += event.bytes > 0 ? 1 : 0;
    one.running = Plus(one.running, event.bytes);
    one.shown.peak_of_running_sum_bytes =
        std::max(one.shown.peak_of_running_sum_bytes, one.running);
    if (event.total_allocated < 0) return;
    allocated_ = Minus(allocated_, std::exchange(one.allocated, event.total_allocated));
    allocated_ = Plus(allocated_, event.total_allocated);
    one.shown.end_allocated_bytes = event.total_allocated;
    one.shown.peak_allocated_bytes =
        std::max(one.shown.peak_allocated_bytes.value_or(0), event.total_allocated);
  }

  int64_t allocated() const { return allocated_; }

  std::vector<MemoryAllocator> Rows(const Trace& trace) const {
    std::vector<MemoryAllocator> rows;
    for (const One& one : all_) {
      if (one.shown.name != kEmptyString) rows.push_back(one.shown);
    }
    std::sort(rows.begin(), rows.end(), [&](const MemoryAllocator& a, const MemoryAllocator& b) {
      return trace.strings[a.name] < trace.strings[b.name];
    });
    return rows;
  }

 private:
  struct One {
    MemoryAllocator shown;
    int64_t allocated = 0;
    int64_t running = 0;
  };
  FlatIndex index_;  // by name
  std::vector<One> all_;
  int64_t allocated_ = 0;
};

MemoryRow RowOf(const Trace& trace, const DeviceAllocations& device, const Steps& steps) {
  MemoryRow row;
  row.type = device.type;
  row.device = device.device;
  Allocators allocators(trace, device);
  int64_t running = 0;
  size_t running_peak = 0;  // how many events up to the peak
  size_t allocated_peak = 0;
  for (size_t i = 0; i < device.events.size(); ++i) {
    const Allocation& event = trace.allocations[device.events[i]];
    allocators.Apply(event);
    running = Plus(running, event.bytes);
    if (running > row.peak_of_running_sum_bytes) {
      row.peak_of_running_sum_bytes = running;
      running_peak = i + 1;
    }
    if (event.total_allocated >= 0) {
      row.end_allocated_bytes = allocators.allocated();
      if (allocators.allocated() > row.peak_allocated_bytes.value_or(-1)) {
        row.peak_allocated_bytes = allocators.allocated();
        allocated_peak = i + 1;
      }
    }
    if (event.total_reserved >= 0) {
      row.peak_reserved_bytes = std::max(row.peak_reserved_bytes.value_or(0), event.total_reserved);
    }
  }
  row.allocators = allocators.Rows(trace);
  const size_t peak = row.peak_allocated_bytes ? allocated_peak : running_peak;
  if (peak > 0) row.peak_at = trace.allocations[device.events[peak - 1]].time;
  if (!KnowsAddresses(trace, device)) return row;
  row.top_ops = TopOps(trace, device, peak);
  row.growth_bytes_per_step = GrowthPerStep(trace, device, steps);
  return row;
}

}  // namespace

std::vector<MemoryRow> AnalyzeMemory(const Trace& trace, const Steps& steps) {
  std::vector<MemoryRow> rows;
  for (const DeviceAllocations& device : ByDevice(trace)) {
    rows.push_back(RowOf(trace, device, steps));
  }
  return rows;
}

}  // namespace stepscope
