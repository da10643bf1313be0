#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/links.h"
#include "link/threads.h"
#include "trace/trace.h"

namespace stepscope {

// What a host thread is doing, in order of precedence: the first of these that is anywhere on the
// stack is the answer.
enum class Doing : uint8_t {
  kInput,
  kCompile,
  kSync,
  kCommunicationWait,
  kCopyWait,
  kProfiler,
  kLaunch,  // inside a runtime or driver call that is none of the above
  kHostOp,
  kPython,  // in a Python frame, outside of any op
  kRegion,  // in a region named by the program (a step marker, record_function), outside of any op
  kNothing
};

inline constexpr TimeNs kForever{std::numeric_limits<int64_t>::max()};

struct ThreadState {
  Doing doing = Doing::kNothing;
  uint32_t slice = kNoRow;  // the span that says so
  TimeNs until = kForever;  // the state does not change before
};

// The state of a cursor that was never asked: valid at no time.
inline constexpr ThreadState kNotAskedYet{Doing::kNothing, kNoRow,
                                          TimeNs{std::numeric_limits<int64_t>::min()}};

// What a span by itself says about its thread.
Doing DoingOf(const Trace& trace, const Links& links, uint32_t slice);

// Reads one lane from left to right. Each span is looked at once: O(spans) over all calls.
class LaneCursor {
 public:
  LaneCursor(const Trace& trace, const Links& links, RowRange slices)
      : trace_(&trace), links_(&links), next_(slices.first), last_(slices.last) {}

  // Times must not go back from call to call.
  const ThreadState& At(TimeNs time) {
    if (time >= now_.until) Advance(time);
    return now_;
  }

 private:
  struct Open {
    TimeNs end;
    Doing doing;
    uint32_t slice;
  };
  void Advance(TimeNs time);
  void Push(uint32_t slice);

  const Trace* trace_;
  const Links* links_;
  uint32_t next_;
  uint32_t last_;
  ThreadState now_ = kNotAskedYet;
  std::vector<Open> open_;
};

// All lanes of a thread at once.
class ThreadCursor {
 public:
  ThreadCursor(const Trace& trace, const Links& links, std::span<const uint32_t> lanes);
  // As LaneCursor::At.
  const ThreadState& At(TimeNs time) {
    if (time >= now_.until) Advance(time);
    return now_;
  }

 private:
  void Advance(TimeNs time);

  ThreadState now_ = kNotAskedYet;
  std::vector<LaneCursor> lanes_;
};

// Tracks of threads that communicate by themselves: gloo and MPI on the host. A collective of NCCL
// runs on the device, and its span on the host only launches it.
std::vector<uint32_t> HostCollectiveTracks(const Trace& trace);

// Tracks on which the profiler accounts for its own work.
std::vector<uint32_t> OverheadTracks(const Trace& trace);

}  // namespace stepscope
