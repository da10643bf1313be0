#include "analyze/idle/thread_state.h"

#include <algorithm>

#include "analyze/host_spans.h"

namespace stepscope {
namespace {

// The first launching call at or after a row, as an index into Links::calls.
size_t FirstCallFrom(const Links& links, uint32_t slice) {
  return static_cast<size_t>(
      std::lower_bound(links.calls.begin(), links.calls.end(), SliceId{slice}) -
      links.calls.begin());
}

// Whether the span launched the collective as device work, so that the device does the waiting.
// Copies that a collective on the host makes are part of it. Rows of a subtree are contiguous.
bool LaunchesCollective(const Trace& trace, const Links& links, uint32_t slice) {
  const TimeNs end = trace.slices.end(slice);
  for (size_t i = FirstCallFrom(links, slice); i < links.calls.size(); ++i) {
    const uint32_t call = Index(links.calls[i]);
    if (trace.slices.start[call] >= end || trace.TrackOf(call) != trace.TrackOf(slice)) break;
    for (uint32_t at = links.first[i]; at < links.first[i + 1]; ++at) {
      const uint32_t work = trace.device_args[links.device_rows[at]].slice;
      if (trace.slices.kind[work] == Kind::kCollective) return true;
    }
  }
  return false;
}

// A copy call that returns only after its copy has ended was waiting for it.
bool WaitedForCopy(const Trace& trace, const Links& links, uint32_t call) {
  const size_t i = FirstCallFrom(links, call);
  if (i == links.calls.size() || links.calls[i] != SliceId{call}) return false;
  for (uint32_t at = links.first[i]; at < links.first[i + 1]; ++at) {
    const uint32_t copy = trace.device_args[links.device_rows[at]].slice;
    if (trace.slices.kind[copy] != Kind::kCopy) return false;
    if (trace.slices.end(copy) > trace.slices.end(call)) return false;
  }
  return true;
}

Doing DoingOfCall(const Trace& trace, const Links& links, uint32_t call) {
  const NameTraits& traits = trace.Traits(call);
  if (traits.compile) return Doing::kCompile;
  if (traits.copy_call && (traits.sync_call || WaitedForCopy(trace, links, call))) {
    return Doing::kCopyWait;
  }
  if (traits.sync_call) return Doing::kSync;
  if (traits.alloc_call) return Doing::kHostOp;
  return Doing::kLaunch;
}

Doing DoingOfHostSpan(const Trace& trace, const Links& links, uint32_t slice, Doing otherwise) {
  const NameTraits& traits = trace.Traits(slice);
  if (traits.input_stage) return Doing::kInput;
  if (traits.compile) return Doing::kCompile;
  if (traits.wait_communication) return Doing::kCommunicationWait;
  if (traits.communication && !LaunchesCollective(trace, links, slice)) {
    return Doing::kCommunicationWait;
  }
  return otherwise;
}

}  // namespace

Doing DoingOf(const Trace& trace, const Links& links, uint32_t slice) {
  switch (trace.slices.kind[slice]) {
    case Kind::kCall:
      return DoingOfCall(trace, links, slice);
    case Kind::kOp:
    case Kind::kOther:
      return DoingOfHostSpan(trace, links, slice, Doing::kHostOp);
    case Kind::kPythonFrame:
    case Kind::kModuleFrame:
      return DoingOfHostSpan(trace, links, slice, Doing::kPython);
    case Kind::kStep:
      return Doing::kRegion;
    case Kind::kAnnotation:
      return DoingOfHostSpan(trace, links, slice, Doing::kRegion);
    case Kind::kInput:
      return Doing::kInput;
    case Kind::kCompile:
      return Doing::kCompile;
    case Kind::kSync:
      return Doing::kSync;
    case Kind::kOverhead:
      return trace.Traits(slice).compile ? Doing::kCompile : Doing::kProfiler;
    case Kind::kKernel:
    case Kind::kCollective:
    case Kind::kCopy:
    case Kind::kMemset:
    case Kind::kDeviceAnnotation:
    case Kind::kDeviceOp:
    case Kind::kAllocation:
      return Doing::kNothing;
  }
  return Doing::kNothing;
}

void LaneCursor::Push(uint32_t slice) {
  Open open{trace_->slices.end(slice), DoingOf(*trace_, *links_, slice), slice};
  if (!open_.empty()) {
    const Open& parent = open_.back();
    // The innermost span of a kind is the most telling, but a stage of the input pipeline stands
    // for all that it calls.
    const bool parent_wins =
        parent.doing < open.doing || (parent.doing == open.doing && parent.doing == Doing::kInput);
    if (parent_wins) {
      open.doing = parent.doing;
      open.slice = parent.slice;
    }
  }
  open_.push_back(open);
}

void LaneCursor::Advance(TimeNs time) {
  const Slices& slices = trace_->slices;
  while (!open_.empty() && open_.back().end <= time) open_.pop_back();
  for (; next_ < last_ && slices.start[next_] <= time; ++next_) {
    if (slices.end(next_) > time) Push(next_);
  }
  // Spans without duration change nothing: thread pools record several such marks for each op.
  while (next_ < last_ && slices.duration[next_].ns == 0) ++next_;
  now_ = {};
  if (next_ < last_) now_.until = slices.start[next_];
  if (open_.empty()) return;
  now_.doing = open_.back().doing;
  now_.slice = now_.doing == Doing::kNothing ? kNoRow : open_.back().slice;
  // Nothing inside an input stage can change the answer.
  now_.until =
      now_.doing == Doing::kInput ? slices.end(now_.slice) : std::min(now_.until, open_.back().end);
}

ThreadCursor::ThreadCursor(const Trace& trace, const Links& links,
                           std::span<const uint32_t> lanes) {
  lanes_.reserve(lanes.size());
  for (const uint32_t lane : lanes) lanes_.emplace_back(trace, links, trace.tracks[lane].slices);
}

void ThreadCursor::Advance(TimeNs time) {
  now_ = {};
  for (LaneCursor& lane : lanes_) {
    const ThreadState& other = lane.At(time);
    const TimeNs until = std::min(now_.until, other.until);
    if (other.doing < now_.doing) now_ = other;
    now_.until = until;
  }
}

std::vector<uint32_t> HostCollectiveTracks(const Trace& trace) {
  std::vector<uint32_t> tracks;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind == TrackKind::kStream) continue;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      if (!IsHostCollective(trace, slice) || trace.Name(slice).starts_with("nccl")) continue;
      tracks.push_back(t);
      break;
    }
  }
  return tracks;
}

std::vector<uint32_t> OverheadTracks(const Trace& trace) {
  std::vector<uint32_t> tracks;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const RowRange range = trace.tracks[t].slices;
    if (!range.empty() && trace.slices.kind[range.first] == Kind::kOverhead) tracks.push_back(t);
  }
  return tracks;
}

}  // namespace stepscope
