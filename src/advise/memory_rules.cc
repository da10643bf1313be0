#include <algorithm>
#include <array>

#include "advise/rule_tools.h"
#include "words/memory.h"

// Rules for device memory that is full, fragmented or growing.
namespace stepscope {
namespace {

constexpr SayFrom<kMemoryTexts> Say;

const MemoryRow* DeviceMemory(const Evidence& e) {
  const MemoryRow* best = nullptr;
  for (const MemoryRow& row : e.report.memory) {
    if (row.type != DeviceType::kGpu) continue;
    if (best == nullptr ||
        row.peak_allocated_bytes.value_or(0) > best->peak_allocated_bytes.value_or(0))
      best = &row;
  }
  return best;
}

std::optional<int64_t> Capacity(const Evidence& e, const MemoryRow& row) {
  for (const Device& device : e.trace.devices) {
    if (device.type == row.type && device.index == row.device) return device.memory_bytes;
  }
  return std::nullopt;
}

RuleVerdict MemoryNearCapacity(const Evidence& e) {
  const MemoryRow* row = DeviceMemory(e);
  if (row == nullptr || !row->peak_allocated_bytes) return NeedsMemory();
  const std::optional<int64_t> capacity = Capacity(e, *row);
  if (!capacity) return NeedsMemorySize();
  const double share =
      static_cast<double>(*row->peak_allocated_bytes) / static_cast<double>(*capacity);
  if (share < e.limits[Limit::kMemoryNearlyFull]) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kMedium;
  fires.title = Say("memory-near-capacity.title", *row->peak_allocated_bytes, *capacity);
  fires.sentence = Say("memory-near-capacity.because");
  if (!row->top_ops.empty()) {
    fires.sentence += Say("memory-near-capacity.most", row->top_ops.front().bytes,
                          e.Name(row->top_ops.front().op));
  }
  return fires;
}

RuleVerdict AllocatorRetry(const Evidence& e) {
  const DurationNs window = DurationNs{TimeOf(e, e.alloc_calls()).ns * e.step_count()};
  const DurationNs exposed = ExposedHost(e, e.alloc_calls());
  const bool logged = e.log != nullptr && !e.log->allocation_retries.empty();
  // Where a program sets out it asks for memory: only steps tell when that is over.
  if (!e.has_steps() && !logged && !e.alloc_calls().empty()) return NeedsSteps();
  const bool long_enough = static_cast<double>(window.ns) >= e.limits[Limit::kAllocatorWindow];
  if (!logged && !long_enough && e.Share(exposed) < e.limits[Limit::kAllocatorShare])
    return Quiet{};
  if (e.alloc_calls().size() < 2 && !logged) return Quiet{};
  Fires fires;
  fires.title =
      e.alloc_calls().empty()
          ? Say("allocator-retry-steady.logged")
          : Say("allocator-retry-steady.title",
                CountedInStep(e, static_cast<double>(e.alloc_calls().size()) / e.step_count()),
                OfEachStep(e, exposed));
  fires.sentence = Say("allocator-retry-steady.because");
  if (logged) fires.sentence += LogSays(e.log->allocation_retries.front());
  fires.saving_hi = exposed;
  fires.gate = exposed.ns == 0;
  fires.at_most = fires.gate ? FindingSeverity::kLow : FindingSeverity::kHigh;
  fires.changes = ChangesOf(e.alloc_calls(), ChangeType::kRemove);
  fires.evidence = e.Longest(e.alloc_calls());
  return fires;
}

RuleVerdict MemoryFragmentation(const Evidence& e) {
  const MemoryRow* row = DeviceMemory(e);
  if (row == nullptr || !row->peak_reserved_bytes || !row->peak_allocated_bytes)
    return NeedsMemory();
  const int64_t unused = *row->peak_reserved_bytes - *row->peak_allocated_bytes;
  const double of_reserved =
      *row->peak_reserved_bytes == 0
          ? 0
          : static_cast<double>(unused) / static_cast<double>(*row->peak_reserved_bytes);
  const std::optional<int64_t> capacity = Capacity(e, *row);
  const double of_capacity =
      capacity && *capacity > 0 ? static_cast<double>(unused) / static_cast<double>(*capacity) : 0;
  // New memory is asked for in steady steps although much of what is reserved is free.
  const bool grows_anyway =
      !e.alloc_calls().empty() && of_reserved >= e.limits[Limit::kFragmentedRatio];
  if (!grows_anyway && of_capacity < e.limits[Limit::kFragmented]) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kMedium;
  fires.title = Say("memory-fragmentation.title", unused, *row->peak_reserved_bytes);
  fires.sentence = grows_anyway ? Say("memory-fragmentation.grows", e.alloc_calls().size())
                                : Say("memory-fragmentation.because");
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(e.alloc_calls());
  return fires;
}

// Bytes allocated at the end of the last used step over those at the end of the first, per step,
// where the allocator says.
std::optional<double> NetGrowth(const Evidence& e, const MemoryRow& row) {
  if (e.step_count() < 2) return std::nullopt;
  const auto allocated_at = [&](TimeNs time) {
    int64_t last = -1;
    for (const Allocation& event : e.trace.allocations) {
      if (event.time > time) break;
      if (event.device_type == row.type && event.device == row.device) last = event.total_allocated;
    }
    return last;
  };
  const int64_t first = allocated_at(e.windows().front().host.end);
  const int64_t last = allocated_at(e.windows().back().host.end);
  if (first < 0 || last < 0) return std::nullopt;
  return static_cast<double>(last - first) / (e.step_count() - 1);
}

RuleVerdict MemoryGrowing(const Evidence& e) {
  const MemoryRow* row = nullptr;
  for (const MemoryRow& candidate : e.report.memory) {
    if (!candidate.growth_bytes_per_step || *candidate.growth_bytes_per_step <= 0) continue;
    if (row == nullptr || *candidate.growth_bytes_per_step > *row->growth_bytes_per_step)
      row = &candidate;
  }
  if (e.report.memory.empty()) return NeedsMemory();
  if (row == nullptr) return Quiet{};
  // Memory that is kept for a while and freed in a later step is no growth.
  const std::optional<double> net = NetGrowth(e, *row);
  if (net && *net * 2 < static_cast<double>(*row->growth_bytes_per_step)) return Quiet{};
  const std::optional<int64_t> capacity = Capacity(e, *row);
  const double reach = static_cast<double>(*row->growth_bytes_per_step) * 1000;
  if (capacity && reach < e.limits[Limit::kGrowthIn1000Steps] * static_cast<double>(*capacity))
    return Quiet{};
  if (!capacity && *row->growth_bytes_per_step < (1 << 20)) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kHigh;
  fires.title = Say("memory-growing.title", DeviceIdOf(row->type, row->device),
                    static_cast<double>(*row->growth_bytes_per_step) / (1 << 20));
  if (capacity && row->peak_allocated_bytes) {
    const int64_t left = std::max<int64_t>(*capacity - *row->peak_allocated_bytes, 0);
    fires.sentence = Say("memory-growing.because", left / *row->growth_bytes_per_step);
  } else {
    fires.sentence = Say("memory-growing.unknown");
  }
  return fires;
}

constexpr std::array kRules{
    Rule{"memory-near-capacity", RuleGroup::kMemory, "", MemoryNearCapacity},
    Rule{"allocator-retry-steady", RuleGroup::kMemory, "", AllocatorRetry},
    Rule{"memory-fragmentation", RuleGroup::kMemory, "", MemoryFragmentation},
    Rule{"memory-growing", RuleGroup::kMemory, "", MemoryGrowing},
};

}  // namespace

std::span<const Rule> MemoryRules() { return kRules; }

}  // namespace stepscope
