#include <algorithm>
#include <array>
#include <set>

#include "advise/rule_tools.h"
#include "words/trust.h"

// Rules on whether the profile can be trusted. They save no time themselves, but lower what other
// rules may promise.
namespace stepscope {
namespace {

constexpr SayFrom<kTrustTexts> Say;

RuleVerdict MissingLibcupti(const Evidence& e) {
  if (!e.trace.device_args.empty()) return Quiet{};
  uint64_t launches = 0;
  for (uint32_t s = 0; s < e.trace.slices.size(); ++s) {
    launches += e.trace.slices.kind[s] == Kind::kCall && e.trace.Traits(s).launch_call ? 1 : 0;
  }
  const bool logged = e.log != nullptr && !e.log->cupti.empty();
  const bool gpu_named = std::any_of(e.trace.devices.begin(), e.trace.devices.end(),
                                     [](const Device& d) { return d.type == DeviceType::kGpu; });
  const bool gpu_ops = e.trace.facts.format == Format::kRunMetadata && gpu_named;
  if (launches == 0 && !gpu_ops && !logged) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kHigh;
  fires.title =
      launches > 0 ? Say("missing-libcupti.launches", launches) : Say("missing-libcupti.title");
  fires.sentence = Say("missing-libcupti.because");
  if (logged) fires.sentence += LogSays(e.log->cupti.front());
  return fires;
}

RuleVerdict ProfileOverhead(const Evidence& e) {
  const DurationNs overhead = UnionOf(e, e.overhead_spans());
  const auto frames = std::count_if(
      e.trace.slices.kind.begin(), e.trace.slices.kind.end(),
      [](Kind kind) { return kind == Kind::kPythonFrame || kind == Kind::kModuleFrame; });
  const double frame_share =
      e.trace.slices.size() == 0 ? 0 : static_cast<double>(frames) / e.trace.slices.size();
  const bool by_overhead = e.Share(overhead) >= e.limits[Limit::kOverheadShare];
  // Frames of a recording were sampled from outside: they cost the program nothing.
  const bool by_frames = e.trace.facts.format != Format::kRecording &&
                         frame_share >= e.limits[Limit::kStackEventShare];
  if (!by_overhead && !by_frames) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kLow;
  fires.title = by_overhead ? Say("profile-overhead-distorts.title", OfEachStep(e, overhead))
                            : Say("profile-overhead-distorts.frames", frame_share);
  fires.sentence = Say("profile-overhead-distorts.because");
  fires.evidence = e.Longest(e.overhead_spans());
  return fires;
}

RuleVerdict WarmupStep(const Evidence& e) {
  const std::vector<Step>& steps = e.linked.steps.items;
  std::vector<const Step*> warmup;
  for (const Step& step : steps) {
    if (step.why_unused == WhyUnused::kWarmup) warmup.push_back(&step);
  }
  if (warmup.empty() || e.step().ns == 0) return Quiet{};
  DurationNs extra{};
  for (const Step* step : warmup) extra += step->duration - e.step();
  if (static_cast<double>(warmup.front()->duration.ns) <
      e.limits[Limit::kWarmupFactor] * static_cast<double>(e.step().ns)) {
    return Quiet{};
  }
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kNote;
  fires.title =
      Say("warmup-step-in-profile.title", warmup.size(), warmup.front()->duration, e.step());
  fires.sentence = Say("warmup-step-in-profile.because", warmup.size(), extra);
  for (const Step* step : warmup) {
    fires.evidence.push_back({.device = {},
                              .rank = e.trace.facts.rank,
                              .step = step->number,
                              .start = step->start,
                              .length = step->duration,
                              .events = {}});
  }
  return fires;
}

// Device events without a launch that start after the first linked one: work queued before the
// profile began is no loss. 0 where even all of them would be too few to matter.
uint64_t UnlinkedInside(const Evidence& e, double at_least) {
  const std::vector<SliceId>& launch_of = e.linked.links.launch_of;
  const auto all = std::count(launch_of.begin(), launch_of.end(), kNoSlice);
  if (static_cast<double>(all) <= at_least) return 0;
  TimeNs first_linked{INT64_MAX};
  for (uint32_t row = 0; row < e.trace.device_args.size(); ++row) {
    if (launch_of[row] == kNoSlice) continue;
    first_linked = std::min(first_linked, e.trace.slices.start[e.trace.device_args[row].slice]);
  }
  uint64_t unlinked = 0;
  for (uint32_t row = 0; row < e.trace.device_args.size(); ++row) {
    const uint32_t slice = e.trace.device_args[row].slice;
    // Readers that type a row a second time leave the first args without a slice.
    if (slice == kNoRow || launch_of[row] != kNoSlice) continue;
    if (!IsDeviceWork(e.trace.slices.kind[slice])) continue;
    unlinked += e.trace.slices.start[slice] >= first_linked ? 1 : 0;
  }
  return unlinked;
}

Message FixForFewSteps(const Evidence& e) {
  return Say("trace-truncated.few-steps.fix", e.limits[Limit::kWholeSteps]);
}

RuleVerdict TraceTruncated(const Evidence& e) {
  // The event limits at which XProf, JAX and ONNX Runtime stop writing.
  static constexpr std::array<uint64_t, 3> kCaps{1'000'000, 5'000'000, 2 * 1024 * 1024};
  std::vector<Message> signs;
  const Diagnostics& quality = e.report.quality;
  if (quality.CountOf(Diagnostic::kFileTruncated) > 0) signs.push_back(Say("trace-truncated.cut"));
  if (quality.CountOf(Diagnostic::kGzipDamaged) > 0)
    signs.push_back(Say("trace-truncated.damaged"));
  if (quality.CountOf(Diagnostic::kProfileReportsLoss) > 0)
    signs.push_back(Say("trace-truncated.dropped"));
  if (std::find(kCaps.begin(), kCaps.end(), e.trace.events.in_file) != kCaps.end()) {
    signs.push_back(Say("trace-truncated.cap", e.trace.events.in_file));
  }
  const uint64_t device_events = e.linked.links.device_events;
  const double tolerated = e.limits[Limit::kUnlinkedShare] * static_cast<double>(device_events);
  const uint64_t unlinked = UnlinkedInside(e, tolerated);
  if (static_cast<double>(unlinked) > tolerated) {
    signs.push_back(Say("trace-truncated.unlinked", unlinked, device_events));
  }
  const bool lost = !signs.empty();
  if (e.linked.steps.source == StepSource::kProfilerStep &&
      e.step_count() < e.limits[Limit::kWholeSteps]) {
    signs.push_back(Say("trace-truncated.few-steps", e.step_count()));
  }
  if (signs.empty()) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = lost ? FindingSeverity::kMedium : FindingSeverity::kNote;
  if (!lost) {
    fires.title = Say("trace-truncated.few-steps.title", e.step_count());
    fires.fix = FixForFewSteps(e);
    return fires;
  }
  fires.title = Say("trace-truncated.title", signs.front());
  fires.sentence = Say("trace-truncated.because");
  for (size_t i = 1; i < signs.size(); ++i) fires.sentence += Say("trace-truncated.also", signs[i]);
  return fires;
}

constexpr std::array kRules{
    Rule{"missing-libcupti", RuleGroup::kTrust, "", MissingLibcupti},
    Rule{"profile-overhead-distorts", RuleGroup::kTrust, "", ProfileOverhead},
    Rule{"warmup-step-in-profile", RuleGroup::kTrust, "", WarmupStep},
    Rule{"trace-truncated", RuleGroup::kTrust, "", TraceTruncated},
};

}  // namespace

std::span<const Rule> TrustRules() { return kRules; }

}  // namespace stepscope
