#include <algorithm>
#include <array>

#include "advise/hardware.h"
#include "advise/rule_tools.h"
#include "words/copy.h"

// Rules for copies between host and device: their source, their number, and what waits for them.
namespace stepscope {
namespace {

constexpr SayFrom<kCopyTexts> Say;

std::vector<StepSpan> HostToDevice(const Evidence& e, int64_t at_least) {
  std::vector<StepSpan> copies;
  for (const StepSpan& span : e.With(e.copies(), NameTag::kHostToDevice)) {
    if (e.trace.DeviceOf(span.slice).bytes >= at_least && !OfCollective(e, span)) {
      copies.push_back(span);
    }
  }
  return copies;
}

// How long the device stands still while the host prepares the copies: it converts the layout,
// fills a pinned buffer. Idle time of that cause inside used steps.
std::vector<StepSpan> Staging(const Evidence& e) { return e.HostSpans(NameTag::kHostStaging); }

// From pageable memory at the rate that the copies reach, from pinned memory at that of the bus.
double PinnedFactor(const Evidence& e, std::span<const StepSpan> copies) {
  double bytes = 0;
  DurationNs time{};
  for (const StepSpan& span : copies) {
    bytes += static_cast<double>(e.trace.DeviceOf(span.slice).bytes);
    time += e.trace.slices.duration[span.slice];
  }
  const HardwareRow* gpu = e.device_facts() == nullptr ? nullptr : HardwareOf(*e.device_facts());
  if (gpu == nullptr || time.ns == 0) return 1;
  return std::min(1.0, bytes / static_cast<double>(time.ns) / gpu->host_gb_per_s);
}

// The calls that made the copies: a copy from pageable memory keeps its caller.
std::vector<Change> CallsOf(const Evidence& e, std::span<const StepSpan> copies, ChangeType type,
                            double factor) {
  std::vector<Change> changes;
  for (const StepSpan& span : copies) {
    const SliceId call = e.linked.links.launch_of[e.trace.slices.args[span.slice]];
    if (call != kNoSlice) changes.push_back({.slice = call, .type = type, .factor = factor});
  }
  return changes;
}

void Append(std::vector<Change> more, std::vector<Change>& changes) {
  changes.insert(changes.end(), more.begin(), more.end());
}

RuleVerdict PageableCopies(const Evidence& e) {
  const auto least = static_cast<int64_t>(e.limits[Limit::kInputSizedCopy]);
  const std::vector<StepSpan> copies = e.With(HostToDevice(e, least), NameTag::kPageable);
  const DurationNs exposed = e.Exposed(copies);
  if (copies.empty() || exposed.ns == 0) return Quiet{};
  const double factor = PinnedFactor(e, copies);
  Fires fires;
  fires.title = Say("h2d-pageable.title", OfEachStep(e, exposed));
  fires.sentence = Say("h2d-pageable.because");
  fires.saving_hi = exposed;
  fires.changes = ChangesOf(copies, ChangeType::kScale, factor);
  Append(CallsOf(e, copies, ChangeType::kNoWait, 1), fires.changes);
  fires.changes_most = ChangesOf(copies, ChangeType::kSideStream);
  Append(CallsOf(e, copies, ChangeType::kNoWait, 1), fires.changes_most);
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, copies);
  fires.evidence = e.Longest(copies);
  return fires;
}

RuleVerdict CopiesNotOverlapped(const Evidence& e) {
  const auto least = static_cast<int64_t>(e.limits[Limit::kInputSizedCopy]);
  const std::vector<StepSpan> copies = HostToDevice(e, least);
  const std::vector<StepSpan> staging = Outermost(e, Staging(e));
  const DurationNs staged = e.has_device_work() ? ExposedHost(e, staging) : DurationNs{};
  const DurationNs exposed = e.Exposed(copies) + staged;
  // The copy is mostly hidden already; the exposed part is longer than the compute beside it.
  const bool overlapped = (exposed - staged).ns * 2 < TimeOf(e, copies).ns;
  if (copies.empty() || overlapped || e.Share(exposed) < e.limits[Limit::kCopyShare])
    return Quiet{};
  Fires fires;
  fires.title = Say("h2d-not-overlapped.title", OfEachStep(e, exposed));
  fires.sentence =
      staged.ns > 0 ? Say("h2d-not-overlapped.staged", staged) : Say("h2d-not-overlapped.because");
  fires.saving_hi = std::min(exposed, e.step());
  fires.changes = ChangesOf(copies, ChangeType::kSideStream);
  Append(CallsOf(e, copies, ChangeType::kNoWait, 1), fires.changes);
  // The next batch is prepared beside the device's work, which hides no more than it takes.
  if (staged.ns > 0) {
    fires.lo_at_least = std::min(exposed, std::max(e.real_step() - exposed, DurationNs{}));
  }
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, copies);
  fires.evidence = e.Longest(copies);
  return fires;
}

// How many of the steps have one of the spans.
uint32_t StepsWith(const Evidence& e, std::span<const StepSpan> spans) {
  std::vector<bool> seen(e.step_count());
  for (const StepSpan& span : spans) seen[span.window] = true;
  return static_cast<uint32_t>(std::count(seen.begin(), seen.end(), true));
}

RuleVerdict LargeReadback(const Evidence& e) {
  const auto least = static_cast<int64_t>(e.limits[Limit::kInputSizedCopy]);
  std::vector<StepSpan> copies;
  int64_t bytes = 0;
  for (const StepSpan& span : e.With(e.copies(), NameTag::kDeviceToHost)) {
    const int64_t size = e.trace.DeviceOf(span.slice).bytes;
    if (size < least) continue;
    copies.push_back(span);
    bytes += size;
  }
  // What is saved now and then has a rule of its own.
  const DurationNs exposed = e.Exposed(copies);
  if (StepsWith(e, copies) * 2 <= e.step_count() ||
      e.Share(exposed) < e.limits[Limit::kCopyShare]) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("d2h-large-readback.title", OfEachStep(e, exposed));
  fires.sentence = Say("d2h-large-readback.because", bytes / int64_t{e.step_count()});
  fires.saving_hi = exposed;
  // At least into pinned memory, at most not at all.
  fires.changes = ChangesOf(copies, ChangeType::kScale, PinnedFactor(e, copies));
  Append(CallsOf(e, copies, ChangeType::kNoWait, 1), fires.changes);
  fires.changes_most = CallsOf(e, copies, ChangeType::kRemove, 0);
  fires.lo_means = Say("d2h-large-readback.lo");
  fires.hi_means = Say("d2h-large-readback.hi");
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, copies);
  fires.evidence = e.Longest(copies);
  return fires;
}

// Calls in quick succession are one loop, and the time between them goes with them. Per step,
// without compute.
DurationNs ExposedStretches(const Evidence& e, std::span<const StepSpan> calls) {
  constexpr DurationNs kSameLoop{100'000};
  std::vector<Interval> stretches;
  for (const StepSpan& call : calls) {
    const Interval time{e.trace.slices.start[call.slice], e.trace.slices.end(call.slice)};
    if (!stretches.empty() && time.start >= stretches.back().start &&
        time.start - stretches.back().end < kSameLoop) {
      stretches.back().end = std::max(stretches.back().end, time.end);
    } else {
      stretches.push_back(time);
    }
  }
  return e.PerStep(IntervalSet::Of(std::move(stretches)).Subtract(e.compute()));
}

// Whether the span holds a call that waits for the device.
bool Waits(const Evidence& e, uint32_t slice) {
  const TimeNs end = e.trace.slices.end(slice);
  const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(slice))].slices;
  for (uint32_t s = slice + 1; s < rows.last && e.trace.slices.start[s] < end; ++s) {
    if (e.trace.slices.kind[s] == Kind::kCall && e.trace.Traits(s).sync_call) return true;
  }
  return false;
}

RuleVerdict SmallCopyStorm(const Evidence& e) {
  std::vector<StepSpan> small;
  std::vector<StepSpan> owners;
  for (const StepSpan& span : e.copies()) {
    const DeviceArgs& args = e.trace.DeviceOf(span.slice);
    const NameTags& tags = e.TagsOfSpan(span);
    const bool border = Has(tags, NameTag::kHostToDevice) || Has(tags, NameTag::kDeviceToHost);
    // Reading a value back has a rule of its own.
    const uint32_t args_row = e.trace.slices.args[span.slice];
    const SliceId reader = e.linked.links.launch_of[args_row];
    if (reader != kNoSlice && IsUnder(e, Index(reader), NameTag::kReadback)) continue;
    if (!border || args.bytes < 0 || static_cast<double>(args.bytes) >= e.limits[Limit::kSmallCopy])
      continue;
    small.push_back(span);
    const uint32_t row = e.trace.slices.args[span.slice];
    SliceId owner = e.linked.links.op_of[row] != kNoSlice ? e.linked.links.op_of[row]
                                                          : e.linked.links.launch_of[row];
    // Up to the outermost op: the whole call exists for this copy.
    for (SliceId up = owner; up != kNoSlice; up = e.trace.slices.parent[Index(up)]) {
      if (e.trace.slices.kind[Index(up)] == Kind::kOp) owner = up;
    }
    // A copy that its caller waits for is a synchronisation, which has a rule of its own.
    if (owner != kNoSlice && Has(tags, NameTag::kDeviceToHost) && Waits(e, Index(owner))) {
      small.pop_back();
      continue;
    }
    if (owner != kNoSlice) owners.push_back({Index(owner), span.window});
  }
  const double per_step = static_cast<double>(small.size()) / e.step_count();
  if (per_step < e.limits[Limit::kManyCopies]) return Quiet{};
  std::sort(owners.begin(), owners.end(),
            [](const StepSpan& a, const StepSpan& b) { return a.slice < b.slice; });
  owners.erase(std::unique(owners.begin(), owners.end(),
                           [](const StepSpan& a, const StepSpan& b) { return a.slice == b.slice; }),
               owners.end());
  const DurationNs exposed = ExposedStretches(e, owners) + e.Exposed(small);
  if (e.Share(exposed) < e.limits[Limit::kCopyShare]) return Quiet{};
  Fires fires;
  fires.title = Say("small-memcpy-storm.title", static_cast<int64_t>(e.limits[Limit::kSmallCopy]),
                    CountedInStep(e, per_step), OfEachStep(e, exposed));
  fires.sentence = Say("small-memcpy-storm.because");
  fires.saving_hi = std::min(exposed, e.step());
  fires.changes = ChangesOf(owners, ChangeType::kRemove);
  fires.evidence = e.Longest(small);
  return fires;
}

RuleVerdict CpuOpBetweenGpuOps(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  // More than a single value leaves the device, and something comes back.
  const auto leaves = [&](const StepSpan& span) {
    return Has(e.TagsOfSpan(span), NameTag::kDeviceToHost) &&
           static_cast<double>(e.trace.DeviceOf(span.slice).bytes) >
               e.limits[Limit::kReadbackBytes];
  };
  if (std::none_of(e.copies().begin(), e.copies().end(), leaves)) return Quiet{};
  std::vector<StepSpan> work(e.kernels().begin(), e.kernels().end());
  work.insert(work.end(), e.copies().begin(), e.copies().end());
  std::sort(work.begin(), work.end(), [&](const StepSpan& a, const StepSpan& b) {
    return e.trace.slices.start[a.slice] < e.trace.slices.start[b.slice];
  });
  DurationNs idle{};
  std::vector<StepSpan> islands;
  for (size_t i = 1; i < work.size(); ++i) {
    const bool back = Has(e.TagsOfSpan(work[i]), NameTag::kHostToDevice);
    const bool out = e.trace.slices.kind[work[i - 1].slice] == Kind::kCopy && leaves(work[i - 1]);
    if (!back || !out || work[i].window != work[i - 1].window) continue;
    if (OfCollective(e, work[i - 1]) || OfCollective(e, work[i])) continue;
    const Interval gap{e.trace.slices.start[work[i - 1].slice], e.trace.slices.end(work[i].slice)};
    idle += gap.length() - e.compute().Clip(gap).length();
    islands.push_back(work[i - 1]);
  }
  const DurationNs per_step = e.PerStep(idle);
  if (e.Share(per_step) < e.limits[Limit::kIslandShare]) return Quiet{};
  Fires fires;
  fires.title = Say("cpu-op-between-gpu-ops.title", OfEachStep(e, per_step));
  fires.sentence = Say("cpu-op-between-gpu-ops.because",
                       CountedInStep(e, static_cast<double>(islands.size()) / e.step_count()));
  fires.saving_hi = per_step;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(islands);
  return fires;
}

constexpr std::array kRules{
    Rule{"h2d-pageable", RuleGroup::kHost, "h2d-not-overlapped", PageableCopies},
    Rule{"h2d-not-overlapped", RuleGroup::kHost, "", CopiesNotOverlapped},
    Rule{"d2h-large-readback", RuleGroup::kHost, "", LargeReadback},
    Rule{"small-memcpy-storm", RuleGroup::kHost, "", SmallCopyStorm},
    Rule{"cpu-op-between-gpu-ops", RuleGroup::kHost, "", CpuOpBetweenGpuOps},
};

}  // namespace

std::span<const Rule> CopyRules() { return kRules; }

}  // namespace stepscope
