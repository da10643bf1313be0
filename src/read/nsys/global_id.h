#pragma once

#include <cstdint>

namespace stepscope::nsys {

// globalTid: hardware id (bits 56 and up), VM id (48 to 55), pid (24 to 47), tid (0 to 23). A
// globalPid is the same with a tid of 0.
constexpr int64_t TidOf(int64_t global_tid) { return global_tid & 0xffffff; }
constexpr int64_t PidOf(int64_t global_id) { return (global_id >> 24) & 0xffffff; }
// A process on one of several machines: everything above the tid.
constexpr int64_t ProcessOf(int64_t global_id) { return global_id >> 24; }

// Correlation ids are unique within a process only, and processes within a machine. The hardware id
// has no bits left for itself: it goes over those that correlation ids rarely reach.
constexpr uint64_t CorrelationOf(int64_t global_id, int64_t correlation) {
  if (correlation == 0) return 0;
  const uint64_t hardware = static_cast<uint64_t>(global_id) >> 56;
  return ((static_cast<uint64_t>(ProcessOf(global_id)) << 32) |
          (static_cast<uint64_t>(correlation) & 0xffffffff)) ^
         (hardware << 24);
}

}  // namespace stepscope::nsys
