#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "analyze/report.h"
#include "link/linked_trace.h"
#include "read/execution_trace/execution_rows.h"
#include "trace/trace.h"

namespace stepscope::tables {

// A value that is worked out when it is first asked for, by whichever thread asks.
template <typename T>
class Lazy {
 public:
  template <typename Make>
  const T& Get(Make make) const {
    std::call_once(once_, [&] { value_ = make(); });
    return value_;
  }

 private:
  mutable std::once_flag once_;
  mutable T value_;
};

// A piece of idle time: stretch `gap` of `idle[device]`.
struct IdleRow {
  uint32_t device = 0;
  uint32_t gap = 0;
};
// An arrow between two slices.
struct FlowRow {
  uint64_t id = 0;
  SliceId from = kNoSlice, to = kNoSlice;
  StringId name = kEmptyString;
};
// A thread: its tracks have the same process and key.
struct ThreadRow {
  uint32_t track = 0;  // the first of them
};

// What the raw tables read: a trace and what was worked out from it, all borrowed. Row numbers of
// derived tables, and columns that no table has, are made on first need; safe for several threads.
class TraceRows {
 public:
  struct Parts {
    const Trace& trace;
    const Links& links;
    const Steps& steps;
    std::span<const StepBreakdown> breakdown = {};  // one per step, or none
    std::span<const IdleGaps> idle = {};            // by device, or none
    uint32_t trace_id = 0;
    const ExecutionRows* execution = nullptr;  // where one was given with the profile
  };
  explicit TraceRows(const Parts& parts) : parts_(parts) {}
  TraceRows(const LinkedTrace& linked, const Report& report, uint32_t trace_id = 0)
      : parts_{linked.trace,     linked.links, linked.steps, report.breakdown,
               report.idle_gaps, trace_id,     nullptr} {}

  const Trace& trace() const { return parts_.trace; }
  const Links& links() const { return parts_.links; }
  const Steps& steps() const { return parts_.steps; }
  std::span<const StepBreakdown> breakdown() const { return parts_.breakdown; }
  std::span<const IdleGaps> idle() const { return parts_.idle; }
  uint32_t trace_id() const { return parts_.trace_id; }
  const ExecutionRows& execution() const {
    static const ExecutionRows kNone;
    return parts_.execution != nullptr ? *parts_.execution : kNone;
  }

  // By slice.
  const std::vector<uint32_t>& track_of_slice() const;
  const std::vector<uint32_t>& step_of_slice() const;  // kNoRow: none
  const std::vector<DurationNs>& self_time() const;    // less the slices directly inside
  const std::vector<DurationNs>& device_time() const;  // of work launched inside
  const std::vector<SliceId>& backward_of() const;     // the backward op of a forward op
  // Slices of some kinds, ascending.
  const std::vector<uint32_t>& ops() const;
  const std::vector<uint32_t>& calls() const;
  const std::vector<uint32_t>& device_work() const;
  const std::vector<uint32_t>& collectives() const;
  // By track: row of threads(), kNoRow for tracks that are none.
  const std::vector<uint32_t>& thread_of_track() const;
  const std::vector<ThreadRow>& threads() const;
  const std::vector<FlowRow>& flows() const;
  const std::vector<IdleRow>& idle_rows() const;
  // The first sample of each series; the samples of a series lie one after another.
  const std::vector<uint32_t>& counter_tracks() const;
  const std::vector<uint32_t>& track_of_counter() const;

 private:
  Parts parts_;
  Lazy<std::vector<uint32_t>> track_of_slice_, step_of_slice_, ops_, calls_, device_work_,
      collectives_, thread_of_track_, counter_tracks_, track_of_counter_;
  Lazy<std::vector<DurationNs>> self_time_, device_time_;
  Lazy<std::vector<SliceId>> backward_of_;
  Lazy<std::vector<ThreadRow>> threads_;
  Lazy<std::vector<FlowRow>> flows_;
  Lazy<std::vector<IdleRow>> idle_rows_;
};

inline const StringTable& StringsOf(const TraceRows& rows) { return rows.trace().strings; }

}  // namespace stepscope::tables
