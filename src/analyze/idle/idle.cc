#include "analyze/idle/idle.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analyze/idle/cause_totals.h"
#include "analyze/idle/input_consumers.h"
#include "analyze/idle/thread_state.h"

namespace stepscope {
namespace {

// The host threads that explain a gap, in this order: the one that launches the next work; if its
// stack is empty, the one that runs the loop (it hands work over: forward to backward thread, loop
// to worker); then the one that launched last.
struct Witnesses {
  uint32_t next = kNoRow;
  uint32_t previous = kNoRow;
};

// Whether Python opens the regions that programs mark. Profilers of whole systems see any program:
// theirs are Python's where a framework or an interpreter runs.
bool RegionsArePython(const Trace& trace) {
  const Format format = trace.facts.format;
  if (format != Format::kNsys && format != Format::kRocprof) return true;
  if (!trace.facts.framework.empty()) return true;
  return std::ranges::any_of(trace.processes, [&](const Process& process) {
    return trace.strings[process.name].find("python") != std::string_view::npos;
  });
}

// Walks the gaps of one device from left to right, and the threads with them.
class GapWalk {
 public:
  GapWalk(const LinkedTrace& linked, int32_t device, WorkSpan work)
      : linked_(linked),
        work_(work),
        cursors_(linked.threads.size()),
        overhead_(linked.trace, linked.links, OverheadTracks(linked.trace)),
        consumers_(linked.trace, linked.links, InputConsumerTracks(linked.trace)),
        collectives_(linked.trace, linked.links, HostCollectiveTracks(linked.trace)),
        totals_(linked.trace, device),
        frames_recorded_(!linked.trace.frame_args.empty()),
        regions_are_python_(RegionsArePython(linked.trace)) {}

  // Gaps in order of time.
  void Visit(Interval gap, uint32_t window, std::array<DurationNs, kCauses>& causes,
             DurationNs& feeding);
  void VisitBetweenSteps(Interval gap);
  std::vector<IdleCause> Rows() const { return totals_.Rows(); }
  void Reserve(size_t stretches) { gaps_.Reserve(stretches); }
  IdleGaps TakeGaps() {
    gaps_.ShrinkToFit();
    return std::move(gaps_);
  }

 private:
  std::optional<Work> NextWork(TimeNs from);
  // The call that launched the work, kNoRow when unknown.
  uint32_t LaunchOf(const Work& work) const;
  uint32_t ThreadOf(uint32_t slice) const;
  ThreadState StateOf(uint32_t thread, TimeNs time);
  ThreadState StateAt(const Witnesses& witnesses, TimeNs time);
  Cause CauseOf(Doing doing, uint32_t window) const;
  void Explain(Interval part, const Witnesses& witnesses, uint32_t window);
  void Note(const std::optional<Work>& next);

  const LinkedTrace& linked_;
  WorkSpan work_;
  size_t next_ = 0;
  uint32_t previous_thread_ = kNoRow;
  std::vector<std::unique_ptr<ThreadCursor>> cursors_;  // by thread, made when first asked
  ThreadCursor overhead_;
  ThreadCursor consumers_;
  ThreadCursor collectives_;
  CauseTotals totals_;
  bool frames_recorded_;
  bool regions_are_python_;
  std::vector<IdlePiece> pieces_;  // of the gap at hand
  IdleGaps gaps_;
};

std::optional<Work> GapWalk::NextWork(TimeNs from) {
  for (; next_ < work_.size(); ++next_) {
    const Work next = work_[next_];
    if (next.start >= from && next.end != next.start) return next;
  }
  return std::nullopt;
}

uint32_t GapWalk::LaunchOf(const Work& work) const {
  if (work.row == kNoRow || work.row >= linked_.links.launch_of.size()) return kNoRow;
  const SliceId launch = linked_.links.launch_of[work.row];
  return launch == kNoSlice ? kNoRow : Index(launch);
}

uint32_t GapWalk::ThreadOf(uint32_t slice) const {
  return linked_.threads.Of(linked_.trace.TrackOf(slice));
}

ThreadState GapWalk::StateOf(uint32_t thread, TimeNs time) {
  if (thread == kNoRow) return {};
  auto& cursor = cursors_[thread];
  if (cursor == nullptr) {
    cursor = std::make_unique<ThreadCursor>(linked_.trace, linked_.links,
                                            linked_.threads.LanesOf(thread));
  }
  return cursor->At(time);
}

ThreadState GapWalk::StateAt(const Witnesses& witnesses, TimeNs time) {
  ThreadState state;
  for (const uint32_t thread : {witnesses.next, linked_.main_thread, witnesses.previous}) {
    const ThreadState other = StateOf(thread, time);
    const TimeNs until = std::min(state.until, other.until);
    if (state.doing == Doing::kNothing) state = other;
    state.until = until;
    if (state.doing != Doing::kNothing) break;
  }
  const ThreadState& profiler = overhead_.At(time);
  const ThreadState& consumer = consumers_.At(time);
  const ThreadState& collective = collectives_.At(time);
  const TimeNs until = std::min({state.until, profiler.until, consumer.until, collective.until});
  if (profiler.doing < state.doing) state = profiler;
  // A loop that does nothing of its own while a thread communicates waits for that thread.
  if (collective.doing == Doing::kCommunicationWait && state.doing >= Doing::kPython) {
    state = collective;
  }
  if (consumer.doing == Doing::kInput) state = consumer;
  state.until = until;
  return state;
}

Cause GapWalk::CauseOf(Doing doing, uint32_t window) const {
  switch (doing) {
    case Doing::kInput:
      return Cause::kInput;
    case Doing::kCompile:
      return Cause::kCompile;
    case Doing::kSync:
      return Cause::kSync;
    case Doing::kCommunicationWait:
      return Cause::kCommunicationWait;
    case Doing::kCopyWait:
      return Cause::kCopyWait;
    case Doing::kProfiler:
      return Cause::kProfiler;
    case Doing::kLaunch:
      return Cause::kLaunch;
    case Doing::kHostOp:
      return Cause::kHostOp;
    case Doing::kPython:
      return Cause::kPython;
    case Doing::kRegion:
      // A run of a session is the executor's, in C++.
      if (linked_.steps.source == StepSource::kSessionRun) return Cause::kUnknown;
      return regions_are_python_ ? Cause::kPython : Cause::kHostOp;
    case Doing::kNothing:
      break;
  }
  if (frames_recorded_) return Cause::kPython;
  if (window < linked_.steps.items.size() && linked_.steps.source != StepSource::kDeviceSteps) {
    // The marker is on one of the threads asked above: if they have nothing open, no step is open.
    if (linked_.steps.items[window].marker != kNoSlice) return Cause::kBetweenSteps;
  }
  return Cause::kUnknown;
}

void GapWalk::Explain(Interval part, const Witnesses& witnesses, uint32_t window) {
  for (TimeNs time = part.start; time < part.end;) {
    const ThreadState state = StateAt(witnesses, time);
    const TimeNs until = std::min(state.until, part.end);
    pieces_.push_back({time, until - time, CauseOf(state.doing, window), state.slice});
    time = until;
  }
}

void GapWalk::Visit(Interval gap, uint32_t window, std::array<DurationNs, kCauses>& causes,
                    DurationNs& feeding) {
  pieces_.clear();
  const std::optional<Work> next = NextWork(gap.start);
  const uint32_t launch = next ? LaunchOf(*next) : kNoRow;
  Witnesses witnesses{launch != kNoRow ? ThreadOf(launch) : kNoRow, previous_thread_};
  TimeNs launched = gap.end;
  if (launch != kNoRow) {
    launched = std::clamp(linked_.trace.slices.end(launch), gap.start, gap.end);
    previous_thread_ = witnesses.next;
  }
  Explain({gap.start, launched}, witnesses, window);
  if (launched < gap.end) pieces_.push_back({launched, gap.end - launched, Cause::kLaunch, launch});

  for (const IdlePiece& piece : pieces_) {
    causes[static_cast<size_t>(piece.cause)] += piece.length;
    const bool host = piece.cause == Cause::kHostOp || piece.cause == Cause::kPython ||
                      piece.cause == Cause::kUnknown;
    if (host && gap.length() < kFeedingGap) feeding += piece.length;
  }
  const bool counts = window >= linked_.steps.items.size() ||
                      linked_.steps.items[window].why_unused != WhyUnused::kNotSelected;
  if (counts) totals_.AddGap(pieces_, next ? next->slice : kNoRow, window);
  Note(next);
}

void GapWalk::VisitBetweenSteps(Interval gap) {
  pieces_ = {{gap.start, gap.length(), Cause::kBetweenSteps, kNoRow}};
  const std::optional<Work> next = NextWork(gap.start);
  totals_.AddGap(pieces_, next ? next->slice : kNoRow, kNoRow);
  Note(next);
}

void GapWalk::Note(const std::optional<Work>& next) {
  const SliceId ended_by = next ? SliceId{next->slice} : kNoSlice;
  for (const IdlePiece& piece : pieces_) {
    const SliceId blamed = piece.blamed == kNoRow ? kNoSlice : SliceId{piece.blamed};
    gaps_.Add(piece.start, piece.length, piece.cause, blamed, ended_by);
  }
}

}  // namespace

DeviceIdle AnalyzeIdle(const LinkedTrace& linked, int32_t device, const IntervalSet& busy,
                       WorkSpan work) {
  DeviceIdle idle;
  idle.device = device;
  idle.by_window.resize(linked.windows.size());
  idle.feeding.resize(linked.windows.size());
  GapWalk walk(linked, device, work);

  const auto intervals = busy.intervals();
  walk.Reserve(2 * (intervals.size() + linked.windows.size()));  // of most gaps no more
  size_t at = 0;  // first busy interval that ends after the time at hand
  // Calls visit for each part of the window in which nothing runs.
  const auto for_each_gap = [&](Interval window, auto visit) {
    TimeNs time = window.start;
    while (at < intervals.size() && intervals[at].end <= time) ++at;
    for (; at < intervals.size() && intervals[at].start < window.end; ++at) {
      if (intervals[at].start > time) visit(Interval{time, intervals[at].start});
      time = std::max(time, intervals[at].end);
      if (intervals[at].end > window.end) break;
    }
    if (time < window.end) visit(Interval{time, window.end});
  };
  for (uint32_t w = 0; w < linked.windows.size(); ++w) {
    if (w > 0 && linked.windows[w - 1].end < linked.windows[w].start) {
      for_each_gap({linked.windows[w - 1].end, linked.windows[w].start},
                   [&](Interval gap) { walk.VisitBetweenSteps(gap); });
    }
    for_each_gap(linked.windows[w],
                 [&](Interval gap) { walk.Visit(gap, w, idle.by_window[w], idle.feeding[w]); });
  }
  idle.causes = walk.Rows();
  idle.gaps = walk.TakeGaps();
  idle.gaps.device = device;
  return idle;
}

}  // namespace stepscope
