#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// Joins blocks into a Trace: one string table, one row order, spans nested per track, overlapping
// ones on extra lanes, begins matched with ends, time counted from the first event. Deterministic
// whatever the number of threads. Memory: the blocks plus one copy of the columns, blocks being
// freed as they are copied.
class TraceBuilder {
 public:
  // For readers that know how many spans there are before they read them: spans that blocks name as
  // `placed`. They are stored once, where others are stored in blocks and copied. Spans that turn
  // out to be in the wrong place (a track in several places, rows that were never filled) are
  // moved.
  void Adopt(Slices slices, DeviceTable device_args) {
    adopted_ = std::move(slices);
    adopted_device_args_ = std::move(device_args);
  }
  // In file order.
  void Append(EventBlock block);
  uint64_t events_so_far() const { return events_; }

  // `counts` holds what only the reader knows (by phase, category, plane); in_file and diagnosed
  // are added to from the blocks. facts.start_unix_ns is replaced by the earliest event's time plus
  // epoch_base when the format knows it (has_epoch).
  struct Epoch {
    bool known = false;
    int64_t base_ns = 0;  // added to the file's time stamps
  };
  Trace Build(RunFacts facts, std::vector<Device> devices, EventCounts counts, Epoch epoch,
              TaskPool& pool, Diagnostics& diagnostics) &&;

 private:
  Slices adopted_;
  DeviceTable adopted_device_args_;
  std::vector<EventBlock> blocks_;
  uint64_t events_ = 0;
};

}  // namespace stepscope
