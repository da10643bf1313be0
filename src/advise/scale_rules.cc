#include <algorithm>
#include <array>
#include <string_view>

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

// Copies that XLA made on a GPU. A TPU's copies run beside its compute and wait for the host or for
// another core.
bool HasXlaCopies(const Evidence& e) {
  const Device* device = e.device_facts();
  return e.framework == Framework::kJax && device != nullptr && device->type == DeviceType::kGpu;
}

RuleVerdict XlaCopies(const Evidence& e) {
  if (!HasXlaCopies(e)) return Quiet{};
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

// XLA copies a buffer as it is, without another layout, where it must not write into the original.
RuleVerdict BuffersNotDonated(const Evidence& e) {
  if (!HasXlaCopies(e)) return Quiet{};
  std::vector<StepSpan> copies;
  int64_t bytes = 0;
  for (const StepSpan& span : e.With(e.copies(), NameTag::kXlaCopy)) {
    const int64_t size = e.trace.DeviceOf(span.slice).bytes;
    if (size < kSmallMessage) continue;
    copies.push_back(span);
    bytes += size;
  }
  const DurationNs time = TimeOf(e, copies);
  if (e.Share(time) < e.limits[Limit::kXlaCopyShare]) return Quiet{};
  Fires fires;
  fires.title = Say("buffers-not-donated.title", OfEachStep(e, time),
                    CountedInStep(e, static_cast<double>(copies.size()) / e.step_count()));
  fires.sentence = Say("buffers-not-donated.because", bytes / int64_t{e.step_count()});
  fires.saving_hi = time;
  fires.changes = ChangesOf(copies, ChangeType::kRemove);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(copies);
  return fires;
}

// Ops that a backward pass has no use for: there they compute activations again.
constexpr std::array<std::string_view, 16> kForwardOnly{
    "aten::addmm",   "aten::linear",     "aten::layer_norm", "aten::rms_norm",
    "aten::gelu",    "aten::silu",       "aten::relu",       "aten::softmax",
    "aten::dropout", "aten::batch_norm", "aten::conv1d",     "aten::conv2d",
    "aten::conv3d",  "aten::embedding",  "aten::group_norm", "aten::scaled_dot_product_attention"};

struct Recomputed {
  std::vector<StepSpan> ops;        // outermost
  std::vector<Change> stretches;    // from the start of a backward function to the last of them
  std::vector<Interval> intervals;  // the same
};

// The ops inside backward functions up to the last that only a forward pass has.
Recomputed RecomputedOps(const Evidence& e) {
  const Slices& slices = e.trace.slices;
  std::vector<bool> forward(e.trace.strings.size());
  for (const StringId name : e.names()) {
    forward[Index(name)] =
        std::find(kForwardOnly.begin(), kForwardOnly.end(), e.Name(name)) != kForwardOnly.end();
  }
  Recomputed recomputed;
  std::vector<StepSpan>& found = recomputed.ops;
  for (const StepSpan& span : e.HostSpans(NameTag::kBackward)) {
    const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(span.slice))].slices;
    const TimeNs end = slices.end(span.slice);
    const size_t before = found.size();
    size_t kept = before;
    std::vector<StringId> kinds;
    for (uint32_t s = span.slice + 1; s < rows.last && slices.start[s] < end; ++s) {
      if (slices.parent[s] != SliceId{span.slice} || slices.kind[s] != Kind::kOp) continue;
      if (Has(e.Tags(slices.name[s]), NameTag::kBackward)) continue;
      found.push_back({s, span.window});
      if (!forward[Index(slices.name[s])]) continue;
      kept = found.size();
      if (std::find(kinds.begin(), kinds.end(), slices.name[s]) == kinds.end()) {
        kinds.push_back(slices.name[s]);
      }
    }
    // One such op may be how somebody wrote a gradient.
    found.resize(kinds.size() < 2 ? before : kept);
    if (found.size() == before) continue;
    const Interval time{slices.start[span.slice], slices.end(found.back().slice)};
    recomputed.stretches.push_back(
        {.slice = SliceId{span.slice}, .type = ChangeType::kCutTime, .time = time});
    recomputed.intervals.push_back(time);
  }
  return recomputed;
}

RuleVerdict ActivationsRecomputed(const Evidence& e) {
  if (e.framework != Framework::kPyTorch || !e.has_device_work()) return Quiet{};
  Recomputed recomputed = RecomputedOps(e);
  const std::vector<StepSpan>& ops = recomputed.ops;
  if (ops.empty()) return Quiet{};
  DurationNs device{};
  const Links& links = e.linked.links;
  for (const StepSpan& span : ops) {
    const TimeNs end = e.trace.slices.end(span.slice);
    auto at = std::lower_bound(links.calls.begin(), links.calls.end(), SliceId{span.slice});
    for (; at != links.calls.end() && e.trace.slices.start[Index(*at)] < end &&
           e.trace.TrackOf(Index(*at)) == e.trace.TrackOf(span.slice);
         ++at) {
      const auto call = static_cast<size_t>(at - links.calls.begin());
      for (uint32_t i = links.first[call]; i < links.first[call + 1]; ++i) {
        device += e.trace.slices.duration[e.trace.device_args[links.device_rows[i]].slice];
      }
    }
  }
  device = e.PerStep(device);
  const DurationNs host =
      e.PerStep(IntervalSet::Of(std::move(recomputed.intervals)).Subtract(e.compute()));
  const DurationNs time = std::max(device, host);
  if (e.Share(time) < e.limits[Limit::kRecomputed]) return Quiet{};
  const Device& facts = *e.device_facts();
  const MemoryRow* memory = nullptr;
  for (const MemoryRow& row : e.report.memory) {
    if (row.type == DeviceType::kGpu && row.device == facts.index) memory = &row;
  }
  const bool known = memory != nullptr && memory->peak_allocated_bytes && facts.memory_bytes;
  const double used = known ? static_cast<double>(*memory->peak_allocated_bytes) /
                                  static_cast<double>(*facts.memory_bytes)
                            : 1;
  if (known && used >= e.limits[Limit::kBatchMemory]) return Quiet{};
  Fires fires;
  fires.title = Say("activations-recomputed.title", OfEachStep(e, time));
  fires.sentence =
      known ? Say("activations-recomputed.because", used) : Say("activations-recomputed.unknown");
  fires.saving_hi = std::min(device + host, e.step());
  // The Python between the ops goes with them.
  fires.changes = ChangesOf(ops, ChangeType::kRemove);
  fires.changes.insert(fires.changes.end(), recomputed.stretches.begin(),
                       recomputed.stretches.end());
  fires.device_goes = device;
  fires.confidence = known ? Confidence::kHigh : Confidence::kMedium;
  if (!known) fires.at_most = FindingSeverity::kMedium;
  fires.evidence = e.Longest(ops);
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
    Rule{"buffers-not-donated", RuleGroup::kKernels, "xla-copies", BuffersNotDonated},
    Rule{"activations-recomputed", RuleGroup::kKernels, "", ActivationsRecomputed},
    Rule{"fp8-available", RuleGroup::kKernels, "", Fp8Available},
};

}  // namespace

std::span<const Rule> ScaleRules() { return kRules; }

}  // namespace stepscope
