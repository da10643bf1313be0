#include <algorithm>
#include <array>

#include "advise/hardware.h"
#include "advise/rule_tools.h"
#include "words/scale.h"

// Rules for what large models do: decoding token by token, sharding, state that is copied, narrow
// numbers.
namespace stepscope {
namespace {

constexpr SayFrom<kScaleTexts> Say;

// Messages below this are bound by latency, not by the link.
constexpr int64_t kSmallMessage = 1 << 20;
// Keys and values are each joined to the cache.
constexpr double kJoinsPerAttention = 2;

double CallsPerStep(const Evidence& e, NameTag tag) {
  return static_cast<double>(e.Sum(tag).calls) / e.step_count();
}

RuleVerdict DecodeCacheGrows(const Evidence& e) {
  if (e.framework != Framework::kPyTorch || !e.has_device_work()) return Quiet{};
  const double attention = CallsPerStep(e, NameTag::kAttentionOp);
  const double joins = CallsPerStep(e, NameTag::kConcat);
  if (attention < e.limits[Limit::kDecodeAttention] || joins < kJoinsPerAttention * attention ||
      e.Occurs(NameTag::kBackward)) {
    return Quiet{};
  }
  // A prompt keeps the device busy; single tokens do not.
  if (e.utilization() >= e.limits[Limit::kUtilizationLow]) return Quiet{};
  Fires fires;
  fires.gate = true;  // the launches that go with it are promised by their own rule
  fires.at_most = FindingSeverity::kLow;
  fires.title = Say("decode-cache-grows.title", CountedInStep(e, joins), attention);
  fires.sentence = Say("decode-cache-grows.because");
  fires.evidence = e.Longest(e.HostSpans(NameTag::kConcat));
  return fires;
}

RuleVerdict SmallCollectives(const Evidence& e) {
  std::vector<StepSpan> small;
  for (const StepSpan& span : e.collectives()) {
    const uint32_t row = e.trace.DeviceOf(span.slice).collective;
    if (row == kNoRow || e.trace.collectives[row].bytes < 0) continue;
    if (e.trace.collectives[row].bytes < kSmallMessage) small.push_back(span);
  }
  const double per_step = static_cast<double>(small.size()) / e.step_count();
  if (per_step < e.limits[Limit::kSmallMessages]) return Quiet{};
  const DurationNs exposed = e.Exposed(small);
  if (e.Share(exposed) < e.limits[Limit::kCommunicationModerate] ||
      exposed.ns * 2 < e.Exposed(e.collectives()).ns) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("small-collectives.title", CountedInStep(e, per_step), OfEachStep(e, exposed));
  fires.sentence = Say("small-collectives.because");
  fires.saving_hi = exposed;
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, small);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(small);
  return fires;
}

RuleVerdict FsdpNoPrefetch(const Evidence& e) {
  if (!e.Occurs(NameTag::kShardedData)) return Quiet{};
  const std::vector<StepSpan> gathers = e.With(e.collectives(), NameTag::kAllGather);
  const DurationNs exposed = e.Exposed(gathers);
  // Of gathers that are fetched ahead, the first of a pass is exposed and no other.
  if (e.Share(exposed) < e.limits[Limit::kCommunicationModerate] ||
      exposed.ns * 2 < TimeOf(e, gathers).ns) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("fsdp-no-prefetch.title", OfEachStep(e, exposed));
  fires.sentence = Say("fsdp-no-prefetch.because",
                       CountedInStep(e, static_cast<double>(gathers.size()) / e.step_count()));
  // No more can be hidden than there is to hide it behind.
  fires.saving_hi = std::min(exposed, e.PerStep(e.compute()));
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, gathers);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(gathers);
  return fires;
}

RuleVerdict XlaCopies(const Evidence& e) {
  // A TPU's copies run beside its compute and wait for the host or for another core.
  const Device* device = e.device_facts();
  if (e.framework != Framework::kJax || device == nullptr || device->type != DeviceType::kGpu) {
    return Quiet{};
  }
  std::vector<StepSpan> copies = e.With(e.kernels(), NameTag::kXlaCopy);
  for (const StepSpan& span : e.With(e.copies(), NameTag::kXlaCopy)) copies.push_back(span);
  const DurationNs exposed = e.Exposed(copies);
  const DurationNs time = std::max(exposed, TimeOf(e, e.With(e.kernels(), NameTag::kXlaCopy)));
  if (e.Share(time) < e.limits[Limit::kXlaCopyShare]) return Quiet{};
  Fires fires;
  fires.title = Say("xla-copies.title", OfEachStep(e, time),
                    CountedInStep(e, static_cast<double>(copies.size()) / e.step_count()));
  fires.sentence = Say("xla-copies.because");
  fires.saving_hi = time;
  fires.changes = ChangesOf(copies, ChangeType::kRemove);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(copies);
  return fires;
}

RuleVerdict Fp8Available(const Evidence& e) {
  const Device* device = e.device_facts();
  if (device == nullptr || device->type != DeviceType::kGpu || !HasFp8(*device)) return Quiet{};
  std::vector<StepSpan> wide;
  for (const StepSpan& span : e.kernels()) {
    const NameTraits& traits = e.trace.Traits(span.slice);
    const NameTags& tags = e.TagsOfSpan(span);
    if (Has(tags, NameTag::kFp8)) return Quiet{};
    if (traits.category != KernelCategory::kGemm || !traits.tensor_core) continue;
    if (Has(tags, NameTag::kTf32Gemm) || Has(tags, NameTag::kFp32Gemm)) continue;
    wide.push_back(span);
  }
  const DurationNs time = TimeOf(e, wide);
  if (e.Share(time) < e.limits[Limit::kFp8Share]) return Quiet{};
  Fires fires;
  fires.gate = true;  // whether the model stands it is nothing that a profile shows
  fires.at_most = FindingSeverity::kNote;
  fires.title = Say("fp8-available.title", OfEachStep(e, time));
  fires.sentence = Say("fp8-available.because", DurationNs{time.ns / 2});
  fires.evidence = e.Longest(wide);
  return fires;
}

constexpr std::array kRules{
    Rule{"decode-cache-grows", RuleGroup::kHost, "kernel-launch-bound", DecodeCacheGrows},
    Rule{"small-collectives", RuleGroup::kCommunication, "comm-exposed", SmallCollectives},
    Rule{"fsdp-no-prefetch", RuleGroup::kCommunication, "comm-exposed", FsdpNoPrefetch},
    Rule{"xla-copies", RuleGroup::kKernels, "", XlaCopies},
    Rule{"fp8-available", RuleGroup::kKernels, "", Fp8Available},
};

}  // namespace

std::span<const Rule> ScaleRules() { return kRules; }

}  // namespace stepscope
