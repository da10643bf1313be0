#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "read/memory_snapshot/snapshot.h"

namespace stepscope {

// Bytes and blocks that one call site, module or step holds.
struct SiteBytes {
  std::string site;
  int64_t bytes = 0;
  int64_t blocks = 0;
};

// Why the last allocation failed.
struct OutOfMemory {
  int64_t wanted = 0;
  int64_t device_free = 0;
  int64_t cached_free = 0;   // in segments, not in use
  int64_t largest_free = 0;  // the largest piece of it
  bool fragmented = false;   // enough in all, but not in one piece
};

// What a device's live memory did from one mark to the next of the same name.
struct Growth {
  std::string mark;
  int64_t steps = 0;
  int64_t bytes_per_step = 0;      // median
  std::vector<int64_t> live;       // at each mark
  std::vector<SiteBytes> sites;    // what they gained per step; largest first
  std::vector<SiteBytes> modules;  // the same by module
};

struct DeviceMemory {
  int64_t device = 0;
  int64_t reserved = 0;
  int64_t allocated = 0;
  int64_t requested = 0;  // of blocks in use; the rest of them is rounding
  int64_t segments = 0;
  int64_t blocks = 0;
  int64_t active_blocks = 0;
  int64_t largest_free = 0;
  int64_t private_pools = 0;  // bytes of segments that CUDA graphs keep
  // Segments of which less than a tenth is in use: memory that cannot go back to the device.
  int64_t pinned_segments = 0;
  int64_t pinned_free = 0;  // what of them is free

  int64_t allocs = 0;
  int64_t frees = 0;
  int64_t free_completions = 0;
  int64_t segment_allocs = 0;
  int64_t segment_allocs_after_first_step = 0;  // each is a stall
  int64_t span_us = 0;
  int64_t peak = 0;
  std::optional<int64_t> peak_after_us;  // since the first event
  std::vector<SiteBytes> at_peak;        // largest first, as are all
  std::vector<SiteBytes> modules_at_peak;
  std::vector<SiteBytes> steps_at_peak;  // in which step it was asked for; in the order of steps
  std::vector<SiteBytes> now;
  std::vector<SiteBytes> modules_now;
  std::optional<Growth> growth;
  std::optional<OutOfMemory> oom;
};

// Of the free bytes of a device, what the largest piece does not hold: 0 is one piece.
double FragmentationOf(const DeviceMemory& memory);

struct MemorySummary {
  std::vector<DeviceMemory> devices;
  bool expandable_segments = false;
};

MemorySummary SummarizeMemory(const MemorySnapshot& snapshot);

// What the second snapshot holds more (or less) than the first, by call site; largest change first.
std::vector<SiteBytes> CompareSites(const std::vector<SiteBytes>& before,
                                    const std::vector<SiteBytes>& after);

}  // namespace stepscope
