#include "advise/rule_tools.h"

#include <algorithm>

#include "analyze/breakdown/host_ops.h"
#include "words/advice.h"

namespace stepscope {
namespace {

constexpr SayFrom<kAdviceTexts> Say;

IntervalSet IntervalsOf(const Evidence& evidence, std::span<const StepSpan> spans) {
  const Slices& slices = evidence.trace.slices;
  std::vector<Interval> intervals;
  intervals.reserve(spans.size());
  for (const StepSpan& span : spans) {
    intervals.push_back({slices.start[span.slice], slices.end(span.slice)});
  }
  return IntervalSet::Of(std::move(intervals));
}

}  // namespace

DurationNs TimeOf(const Evidence& evidence, std::span<const StepSpan> spans) {
  DurationNs sum{};
  for (const StepSpan& span : spans) sum += evidence.trace.slices.duration[span.slice];
  return evidence.PerStep(sum);
}

DurationNs UnionOf(const Evidence& evidence, std::span<const StepSpan> spans) {
  return evidence.PerStep(IntervalsOf(evidence, spans));
}

std::vector<DurationNs> OwnTimeOfOps(const Evidence& evidence) {
  const Slices& slices = evidence.trace.slices;
  std::vector<DurationNs> own(evidence.trace.strings.size());
  for (const Track& track : evidence.trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    size_t at = 0;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      while (at < evidence.windows().size() && evidence.windows()[at].host.end <= slices.start[s]) {
        ++at;
      }
      if (at == evidence.windows().size()) break;
      if (slices.start[s] < evidence.windows()[at].host.start || slices.kind[s] != Kind::kOp) {
        continue;
      }
      own[Index(slices.name[s])] += slices.duration[s];
      const SliceId parent = slices.parent[s];
      if (parent != kNoSlice && slices.kind[Index(parent)] == Kind::kOp) {
        own[Index(slices.name[Index(parent)])] =
            own[Index(slices.name[Index(parent)])] - slices.duration[s];
      }
    }
  }
  return own;
}

DurationNs ExposedHost(const Evidence& evidence, std::span<const StepSpan> spans) {
  return evidence.PerStep(IntervalsOf(evidence, spans).Subtract(evidence.compute()));
}

std::vector<StepSpan> Outermost(const Evidence& evidence, std::span<const StepSpan> spans) {
  const Slices& slices = evidence.trace.slices;
  const auto by_slice = [](const StepSpan& a, const StepSpan& b) { return a.slice < b.slice; };
  std::vector<StepSpan> sorted(spans.begin(), spans.end());
  if (!std::is_sorted(sorted.begin(), sorted.end(), by_slice)) {
    std::sort(sorted.begin(), sorted.end(), by_slice);
  }
  // Spans of a lane nest: what starts before the last outermost one ends is inside it.
  std::vector<StepSpan> outermost;
  uint32_t lane_end = 0;
  TimeNs inside_until{};
  for (const StepSpan& span : sorted) {
    const bool same_lane = span.slice < lane_end;
    if (same_lane && slices.start[span.slice] < inside_until) continue;
    if (!same_lane) {
      lane_end = evidence.trace.tracks[Index(evidence.trace.TrackOf(span.slice))].slices.last;
    }
    inside_until = slices.end(span.slice);
    outermost.push_back(span);
  }
  return outermost;
}

std::vector<StepSpan> OutermostTagged(const Evidence& evidence, std::span<const StepSpan> spans,
                                      NameTag tag) {
  const Slices& slices = evidence.trace.slices;
  std::vector<StepSpan> around;
  for (const StepSpan& span : spans) {
    uint32_t outermost = span.slice;
    for (SliceId at{span.slice}; at != kNoSlice; at = slices.parent[Index(at)]) {
      if (Has(evidence.Tags(slices.name[Index(at)]), tag)) outermost = Index(at);
    }
    around.push_back({outermost, span.window});
  }
  return Outermost(evidence, around);
}

bool IsUnder(const Evidence& evidence, uint32_t slice, NameTag tag) {
  const Slices& slices = evidence.trace.slices;
  for (SliceId at = slices.parent[slice]; at != kNoSlice; at = slices.parent[Index(at)]) {
    if (Has(evidence.Tags(slices.name[Index(at)]), tag)) return true;
  }
  return false;
}

bool OfCollective(const Evidence& evidence, const StepSpan& copy) {
  const Slices& slices = evidence.trace.slices;
  for (SliceId at = evidence.linked.links.launch_of[slices.args[copy.slice]]; at != kNoSlice;
       at = slices.parent[Index(at)]) {
    const bool called = evidence.Name(slices.name[Index(at)]).starts_with("c10d::");
    if (called || evidence.trace.Traits(Index(at)).communication) return true;
  }
  return false;
}

NameTags TagsAround::Of(SliceId slice) {
  const Slices& slices = evidence_.trace.slices;
  // Up to a span that is around the last one as well. Parents come before their children.
  fresh_.clear();
  SliceId at = slice;
  for (; at != kNoSlice; at = slices.parent[Index(at)]) {
    while (!levels_.empty() && levels_.back().slice > Index(at)) levels_.pop_back();
    if (!levels_.empty() && levels_.back().slice == Index(at)) break;
    fresh_.push_back(Index(at));
  }
  if (at == kNoSlice) levels_.clear();
  for (size_t i = fresh_.size(); i-- > 0;) {
    NameTags tags = evidence_.Tags(slices.name[fresh_[i]]);
    if (!levels_.empty()) tags |= levels_.back().tags;
    levels_.push_back({fresh_[i], tags});
  }
  return levels_.empty() ? NameTags{} : levels_.back().tags;
}

bool IsInInput(const Evidence& evidence, uint32_t slice) {
  const Trace& trace = evidence.trace;
  return IsUnder(evidence, slice, NameTag::kCapturedFunction) ||
         IsUnder(evidence, slice, NameTag::kIterator) ||
         IsInputThread(trace, trace.tracks[Index(trace.TrackOf(slice))]);
}

CannotTell NeedsMachine() { return {Say("advice.needs-machine")}; }
CannotTell NeedsLog() { return {Say("advice.needs-log")}; }
CannotTell NeedsGraph() { return {Say("advice.needs-graph")}; }
CannotTell NeedsMemory() { return {Say("advice.needs-memory")}; }
CannotTell NeedsMemorySize() { return {Say("advice.needs-memory-size")}; }
CannotTell NeedsGpuModel() { return {Say("advice.needs-gpu-model")}; }
CannotTell NeedsDataset() { return {Say("advice.needs-dataset")}; }
CannotTell NeedsRanks() { return {Say("advice.needs-ranks")}; }
CannotTell NeedsSteps() { return {Say("advice.needs-steps")}; }

Message LogSays(std::string_view line) { return Say("advice.log-says", line); }

const CompileLog* SlowestCompileLog(const Evidence& evidence) {
  if (evidence.log == nullptr || evidence.log->compile.empty()) return nullptr;
  return &*std::ranges::max_element(evidence.log->compile, {},
                                    [](const CompileLog& log) { return log.total().ns; });
}

std::span<const CompileLog::Cause> FirstCauses(std::span<const CompileLog::Cause> causes) {
  constexpr size_t kMost = 3;
  return causes.first(std::min(causes.size(), kMost));
}

// So much longer than the median step is still all of it, not a mean that outliers made long.
constexpr double kWholeStep = 1.02;

Message OfEachStep(const Evidence& evidence, DurationNs per_step) {
  double share = evidence.Share(per_step);
  // Of the device's steps, which are not as long as the host's to the nanosecond.
  if (evidence.has_steps() && share > 1 && share <= kWholeStep) {
    per_step = evidence.step();
    share = 1;
  }
  if (!evidence.has_steps()) return Say("advice.of-profile", per_step, evidence.step(), share);
  if (share > 1) return Say("advice.of-mean-step", per_step, evidence.step());
  // The user's step is another where the profiler slows the program down.
  return evidence.profiler_matters()
             ? Say("advice.of-profiled-step", per_step, evidence.step(), share)
             : Say("advice.of-step", per_step, evidence.step(), share);
}

Rare RareCost(const Evidence& evidence, DurationNs least, DurationNs sum, size_t times) {
  const auto count = static_cast<int64_t>(times);
  return {evidence.PerStep(DurationNs{least.ns * (2 * count - 1) / 2}),
          evidence.PerStep(DurationNs{sum.ns * (count + 1) / count})};
}

Message EachStep(const Evidence& evidence) {
  return evidence.has_steps() ? Say("advice.a-step") : Say("advice.in-all");
}

Message CountedInStep(const Evidence& evidence, double count) {
  return Say("advice.counted", count, EachStep(evidence));
}

}  // namespace stepscope
