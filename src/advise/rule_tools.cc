#include "advise/rule_tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analyze/breakdown/host_ops.h"

namespace stepscope {
namespace {

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

bool IsUnder(const Evidence& evidence, uint32_t slice, NameTag tag) {
  const Slices& slices = evidence.trace.slices;
  for (SliceId at = slices.parent[slice]; at != kNoSlice; at = slices.parent[Index(at)]) {
    if (Has(evidence.Tags(slices.name[Index(at)]), tag)) return true;
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

std::string OfEachStep(const Evidence& evidence, DurationNs per_step) {
  const double share = evidence.Share(per_step);
  if (!evidence.has_steps()) {
    return fmt::format("{} of the {} that the profile lasts ({})", Words(per_step),
                       Words(evidence.step()), Percent(share));
  }
  if (share > 1) {
    return fmt::format("{} a step on average (the median step takes {})", Words(per_step),
                       Words(evidence.step()));
  }
  return fmt::format("{} of each {} step ({})", Words(per_step), Words(evidence.step()),
                     Percent(share));
}

std::string_view EachStep(const Evidence& evidence) {
  return evidence.has_steps() ? "a step" : "in all";
}

std::string Counted(double count) {
  const bool whole = count >= 10 || std::abs(count - std::round(count)) < 0.05;
  return fmt::format("{:.{}f}", count, whole ? 0 : 1);
}

std::string CountedInStep(const Evidence& evidence, double count) {
  return fmt::format("{} {}", Counted(count), EachStep(evidence));
}

}  // namespace stepscope
