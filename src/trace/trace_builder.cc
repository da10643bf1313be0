#include "trace/trace_builder.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>

#include "base/release.h"
#include "trace/build/columns.h"
#include "trace/build/halves.h"
#include "trace/build/join.h"
#include "trace/build/limits.h"
#include "trace/build/place.h"
#include "trace/build/settle.h"

namespace stepscope {
namespace {

struct Extent {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();

  void Add(int64_t time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  void Add(const Extent& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool empty() const { return last < first; }
};

struct Checked {
  Extent extent;
  uint64_t absurd = 0;
  uint64_t negative = 0;
};

int64_t& NsOf(int64_t& time) { return time; }
int64_t& NsOf(TimeNs& time) { return time.ns; }
int64_t& NsOf(DurationNs& duration) { return duration.ns; }

// Brings spans within the limits.
template <typename Columns>
void CheckSpans(Columns& columns, size_t first, size_t last, Checked& checked) {
  for (size_t i = first; i < last; ++i) {
    int64_t& start = NsOf(columns.start[i]);
    int64_t& duration = NsOf(columns.duration[i]);
    if (duration < 0) {
      duration = 0;
      ++checked.negative;
    }
    if (IsAbsurd(start, duration)) {
      start = ClampTime(start);
      duration = 0;
      columns.flags[i] |= kKeptOutOfSums;
      ++checked.absurd;
    }
    checked.extent.Add(start);
    checked.extent.last = std::max(checked.extent.last, start + duration);
  }
}

// Brings the spans' times within the limits and finds the earliest and latest time of the block.
Checked CheckTimes(EventBlock& block, Slices& slices) {
  Checked checked;
  CheckSpans(block, 0, block.start.size(), checked);
  CheckSpans(slices, block.placed.first, block.placed.last, checked);
  const auto add_all = [&](const auto& rows) {
    for (const auto& row : rows) checked.extent.Add(ClampTime(row.time.ns));
  };
  add_all(block.flows);
  add_all(block.instants);
  add_all(block.allocations);
  for (const auto& [sample, track] : block.counters) checked.extent.Add(ClampTime(sample.time.ns));
  return checked;
}

Extent CheckTimes(std::span<EventBlock> blocks, Slices& slices, TaskPool& pool,
                  Diagnostics& diagnostics) {
  std::vector<Checked> checked(blocks.size());
  pool.ForEach(blocks.size(), [&](size_t b) { checked[b] = CheckTimes(blocks[b], slices); });
  Checked all;
  for (const Checked& of_block : checked) {
    all.extent.Add(of_block.extent);
    all.absurd += of_block.absurd;
    all.negative += of_block.negative;
  }
  if (all.absurd > 0) diagnostics.Add(Diagnostic::kAbsurdDuration, all.absurd);
  if (all.negative > 0) diagnostics.Add(Diagnostic::kNegativeDuration, all.negative);
  if (all.extent.empty()) all.extent = {0, 0};
  return all.extent;
}

// Numbers that are already the file's own stay as they are.
BlockMaps IdentityMaps(const Joined& joined) {
  BlockMaps maps;
  maps.strings.resize(joined.strings.size());
  for (uint32_t id = 0; id < maps.strings.size(); ++id) maps.strings[id] = StringId{id};
  maps.rows.resize(joined.rows.size());
  std::iota(maps.rows.begin(), maps.rows.end(), 0U);
  return maps;
}

// What each name says, for strings that name a span; others (shapes, stacks) keep the default.
std::vector<NameTraits> TraitsOfNames(const StringTable& strings, const Slices& slices,
                                      TaskPool& pool) {
  std::vector<uint8_t> is_name(strings.size(), 0);
  constexpr size_t kSpansPerTask = size_t{1} << 18;
  pool.ForEach((slices.name.size() + kSpansPerTask - 1) / kSpansPerTask, [&](size_t task) {
    const size_t last = std::min(slices.name.size(), (task + 1) * kSpansPerTask);
    for (size_t i = task * kSpansPerTask; i < last; ++i) {
      // Most are already known. They are not written again, so that the threads share the table in
      // their caches.
      const std::atomic_ref known(is_name[Index(slices.name[i])]);
      if (known.load(std::memory_order_relaxed) == 0) known.store(1, std::memory_order_relaxed);
    }
  });
  std::vector<NameTraits> traits(strings.size());
  constexpr size_t kPerTask = 4096;
  pool.ForEach((strings.size() + kPerTask - 1) / kPerTask, [&](size_t task) {
    const size_t last = std::min<size_t>(strings.size(), (task + 1) * kPerTask);
    for (size_t id = task * kPerTask; id < last; ++id) {
      if (is_name[id] != 0) traits[id] = TraitsOf(strings[StringId{static_cast<uint32_t>(id)}]);
    }
  });
  return traits;
}

// Ties device args to their slices, rows to their device and stream, and communication kernels to
// their kind.
void FinishDeviceRows(Trace& trace, TaskPool& pool) {
  Slices& slices = trace.slices;
  pool.ForEach(trace.tracks.size(), [&](size_t t) {
    Track& track = trace.tracks[t];
    for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
      if (TableOf(slices.kind[row]) != ArgsTable::kDevice) continue;
      if (slices.kind[row] == Kind::kKernel && trace.Traits(row).communication) {
        slices.kind[row] = Kind::kCollective;
      }
      if (slices.args[row] == kNoRow) continue;
      trace.device_args.SetSlice(slices.args[row], row);
      if (track.device < 0 && IsDeviceWork(slices.kind[row])) {
        const DeviceArgs args = trace.device_args[slices.args[row]];
        track.kind = TrackKind::kStream;
        track.device = args.device;
        track.stream = args.stream;
      }
    }
  });
}

// Adds the devices that rows use and the file does not describe; the host itself where no
// accelerator did anything.
void CompleteDevices(Trace& trace) {
  for (const Track& track : trace.tracks) {
    if (track.device < 0) continue;
    const bool known =
        std::any_of(trace.devices.begin(), trace.devices.end(), [&](const Device& device) {
          return device.index == track.device && device.type != DeviceType::kCpu;
        });
    if (known) continue;
    Device& device = trace.devices.emplace_back();
    device.index = track.device;
  }
  const auto on_device = [](const Track& track) { return track.device >= 0; };
  const auto is_host = [](const Device& device) { return device.type == DeviceType::kCpu; };
  if (trace.slices.size() > 0 && std::ranges::none_of(trace.tracks, on_device) &&
      std::ranges::none_of(trace.devices, is_host)) {
    trace.devices.emplace_back().type = DeviceType::kCpu;
  }
  std::stable_sort(trace.devices.begin(), trace.devices.end(),
                   [](const Device& a, const Device& b) {
                     return a.type != b.type ? a.type < b.type : a.index < b.index;
                   });
}

}  // namespace

void TraceBuilder::Append(EventBlock block) {
  events_ += block.event_count;
  blocks_.push_back(std::move(block));
}

Trace TraceBuilder::Build(RunFacts facts, std::vector<Device> devices, EventCounts counts,
                          Epoch epoch, TaskPool& pool, Diagnostics& diagnostics) && {
  Trace trace;
  for (uint64_t event = 0; const EventBlock& block : blocks_) {
    if (block.event_count > 0) trace.places.push_back({event, block.offset});
    event += block.event_count;
    counts.in_file += block.event_count;
    counts.diagnosed += block.diagnosed;
    diagnostics.Merge(block.diagnostics);
  }
  Joined joined = JoinBlocks(blocks_);
  trace.slices = std::move(adopted_);
  CloseGaps(blocks_, trace.slices);
  const bool stay = trace.slices.size() > 0 && CanStay(blocks_, joined);
  if (!stay) MoveToBlocks(blocks_, trace.slices);
  std::vector<ArgsBases> bases = ArgsBasesOf(blocks_);
  blocks_.push_back(MatchHalves(blocks_, joined, bases, diagnostics));
  joined.maps.push_back(IdentityMaps(joined));
  bases.emplace_back();
  counts.diagnosed += blocks_.back().diagnosed;

  const Extent extent = CheckTimes(blocks_, trace.slices, pool, diagnostics);
  PlacedSpans placement =
      stay ? SettleSpans(blocks_, joined, bases, extent.first, trace.slices, pool)
           : PlaceSpans(blocks_, joined, extent.first, trace.slices, pool);
  trace.tracks = std::move(placement.tracks);
  if (placement.overlapping > 0) {
    diagnostics.Add(Diagnostic::kOverlappingSlices, placement.overlapping);
  }
  if (!stay) CopySpans(blocks_, joined, bases, placement, trace.slices, pool);
  Release(placement.row_of);
  trace.device_args = std::move(adopted_device_args_);
  CopyTables(blocks_, joined, bases, extent.first, trace, pool);
  blocks_.clear();

  trace.strings = std::move(joined.strings);
  trace.processes = std::move(joined.processes);
  trace.traits = TraitsOfNames(trace.strings, trace.slices, pool);
  trace.devices = std::move(devices);
  FinishDeviceRows(trace, pool);
  CompleteDevices(trace);
  trace.span = {extent.last - extent.first};
  trace.events = std::move(counts);
  trace.facts = std::move(facts);
  int64_t start_unix = 0;
  if (epoch.known && !__builtin_add_overflow(extent.first, epoch.base_ns, &start_unix)) {
    trace.facts.start_unix_ns = start_unix;
  }
  return trace;
}

}  // namespace stepscope
