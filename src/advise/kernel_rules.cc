#include <algorithm>
#include <array>
#include <cmath>

#include "advise/device_use.h"
#include "advise/graph_facts.h"
#include "advise/hardware.h"
#include "advise/layout_rules.h"
#include "advise/rule_tools.h"
#include "words/kernel.h"

// Rules for what the device computes: precision, layout, fusion, size of kernels.
namespace stepscope {
namespace {

constexpr SayFrom<kKernelTexts> Say;

// Names of kernels can be pages long.
constexpr size_t kShownOfAName = 120;

// A convolution of each channel by itself multiplies no matrices: tensor cores do not help it.
bool Depthwise(std::string_view kernel) {
  return kernel.find("depthwise") != std::string_view::npos ||
         kernel.find("_c1_k1_") != std::string_view::npos;
}

// Kernels whose owner op could use tensor cores.
struct Eligible {
  DurationNs all{};  // per step
  DurationNs used{};
  std::vector<StepSpan> unused;
};
Eligible EligibleTime(const Evidence& e) {
  Eligible eligible;
  for (const StepSpan& span : e.kernels()) {
    // What a compiler writes does not say in its name how it multiplies.
    if (Has(e.TagsOfSpan(span), NameTag::kGeneratedKernel)) continue;
    const NameTraits& traits = e.trace.Traits(span.slice);
    const SliceId op = e.linked.links.op_of[e.trace.slices.args[span.slice]];
    const bool could = (op != kNoSlice && e.trace.Traits(Index(op)).tensor_core_eligible) ||
                       traits.category == KernelCategory::kGemm ||
                       traits.category == KernelCategory::kConvolution;
    if (!could) continue;
    // Bookkeeping kernels of such an op (fills, reductions) are no matrix work.
    const bool math = traits.category == KernelCategory::kGemm ||
                      traits.category == KernelCategory::kConvolution || traits.tensor_core;
    if (!math || Depthwise(e.trace.Name(span.slice))) continue;
    eligible.all += e.trace.slices.duration[span.slice];
    if (traits.tensor_core) {
      eligible.used += e.trace.slices.duration[span.slice];
    } else {
      eligible.unused.push_back(span);
    }
  }
  eligible.all = e.PerStep(eligible.all);
  eligible.used = e.PerStep(eligible.used);
  return eligible;
}

RuleVerdict TensorCoresUnused(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  const Eligible eligible = EligibleTime(e);
  if (eligible.all.ns == 0 || e.Share(eligible.all) < e.limits[Limit::kTensorCoreEligible])
    return Quiet{};
  const double used = static_cast<double>(eligible.used.ns) / static_cast<double>(eligible.all.ns);
  if (used >= e.limits[Limit::kTensorCoreUsed]) return Quiet{};
  const HardwareRow* gpu = PeakRates(e);
  if (gpu == nullptr) return NeedsGpuModel();
  if (gpu->tensor_tflops_16 == 0) return Quiet{};
  const DurationNs plain = eligible.all - eligible.used;
  const double gain = 1 - gpu->tflops_32 / gpu->tensor_tflops_16;
  Fires fires;
  fires.title = Say("tensor-cores-unused.title", OfEachStep(e, plain));
  fires.sentence = used == 0 ? Say("tensor-cores-unused.none", NameOfGpu(e))
                             : Say("tensor-cores-unused.because", used, NameOfGpu(e));
  fires.saving_hi = {static_cast<int64_t>(static_cast<double>(plain.ns) * gain)};
  fires.changes = ChangesOf(eligible.unused, ChangeType::kScale, 0.5);
  fires.changes_most = ChangesOf(eligible.unused, ChangeType::kScale, 1 - gain);
  // Tensor cores without TF32 have no bfloat16 either.
  if (gpu->tensor_tflops_tf32 == 0 && e.framework == Framework::kPyTorch) {
    fires.fix = {Say("tensor-cores-unused.fp16.fix"), Say("tensor-cores-unused.scaler.fix")};
  }
  fires.lo_means = Say("tensor-cores-unused.lo");
  fires.hi_means = Say("tensor-cores-unused.hi");
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(eligible.unused);
  return fires;
}

RuleVerdict Tf32Disabled(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  std::vector<StepSpan> plain;
  for (const StepSpan& span : e.With(e.kernels(), NameTag::kFp32Gemm)) {
    const NameTraits& traits = e.trace.Traits(span.slice);
    if (!Has(e.TagsOfSpan(span), NameTag::kTf32Gemm) && !traits.tensor_core) plain.push_back(span);
  }
  const DurationNs time = TimeOf(e, plain);
  if (e.Share(time) < e.limits[Limit::kTf32Share]) return Quiet{};
  const HardwareRow* gpu = PeakRates(e);
  if (gpu == nullptr) return NeedsGpuModel();
  if (gpu->tensor_tflops_tf32 == 0) return Quiet{};
  Fires fires;
  fires.title = Say("tf32-disabled.title", OfEachStep(e, time));
  fires.sentence = Say("tf32-disabled.because", NameOfGpu(e));
  fires.saving_hi = {static_cast<int64_t>(static_cast<double>(time.ns) *
                                          (1 - gpu->tflops_32 / gpu->tensor_tflops_tf32))};
  fires.changes = ChangesOf(plain, ChangeType::kScale, 0.5);
  fires.changes_most =
      ChangesOf(plain, ChangeType::kScale, gpu->tflops_32 / gpu->tensor_tflops_tf32);
  fires.lo_means = Say("tf32-disabled.lo");
  fires.hi_means = Say("tf32-disabled.hi");
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(plain);
  return fires;
}

RuleVerdict GemmMisaligned(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  std::vector<StepSpan> slow;
  for (const StepSpan& span : e.kernels()) {
    const NameTags& tags = e.TagsOfSpan(span);
    // The kernel's name says for which alignment, in elements, it was compiled.
    const bool narrow = Has(tags, NameTag::kNarrowAlignment) && !Has(tags, NameTag::kWideAlignment);
    if (narrow && e.trace.Traits(span.slice).tensor_core) slow.push_back(span);
  }
  const DurationNs time = TimeOf(e, slow);
  if (e.Share(time) < e.limits[Limit::kMisalignedShare]) return Quiet{};
  Fires fires;
  fires.title = Say("gemm-dims-misaligned.title", OfEachStep(e, time));
  fires.sentence = Say("gemm-dims-misaligned.because");
  fires.saving_hi = {time.ns * 9 / 10};
  fires.changes = ChangesOf(slow, ChangeType::kScale, 0.6);
  fires.lo_means = Say("gemm-dims-misaligned.lo");
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(slow);
  return fires;
}

RuleVerdict LowSmEfficiency(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  DurationNs unknown{};
  std::vector<DeviceUse> uses = DeviceUseByName(e, unknown);
  std::erase_if(uses,
                [&](const DeviceUse& u) { return e.Share(u.time) < e.limits[Limit::kSmShare]; });
  std::stable_sort(uses.begin(), uses.end(), [&](const DeviceUse& a, const DeviceUse& b) {
    return a.time != b.time ? a.time > b.time : e.Name(a.name) < e.Name(b.name);
  });
  const auto few =
      std::find_if(uses.begin(), uses.end(), [](const DeviceUse& use) { return use.blocks < 1; });
  const auto thin = std::find_if(uses.begin(), uses.end(), [&](const DeviceUse& use) {
    return use.occupancy < e.limits[Limit::kOccupancyLow];
  });
  if (few == uses.end() && thin == uses.end()) {
    if (e.Share(e.PerStep(unknown)) < e.limits[Limit::kSmShare]) return Quiet{};
    return CannotTell{Say("low-sm-efficiency.needs")};
  }
  const DeviceUse& worst = few != uses.end() ? *few : *thin;
  std::vector<StepSpan> calls;
  for (const StepSpan& span : e.kernels()) {
    if (e.trace.slices.name[span.slice] == worst.name) calls.push_back(span);
  }
  Fires fires;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(calls);
  fires.sentence = Say("low-sm-efficiency.kernel", e.Name(worst.name).substr(0, kShownOfAName));
  if (few == uses.end()) {
    fires.gate = true;  // how much faster it would be with more is anybody's guess
    fires.at_most = FindingSeverity::kNote;
    fires.title = Say("low-sm-efficiency.occupancy", OfEachStep(e, worst.time), worst.occupancy);
    return fires;
  }
  fires.title = Say("low-sm-efficiency.title", OfEachStep(e, worst.time), worst.blocks);
  fires.saving_hi = {static_cast<int64_t>(static_cast<double>(worst.time.ns) * (1 - worst.blocks))};
  fires.at_most = FindingSeverity::kMedium;
  fires.changes = ChangesOf(calls, ChangeType::kScale, worst.blocks);
  return fires;
}

RuleVerdict KernelsMemoryBound(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  std::vector<StepSpan> bound;
  for (const StepSpan& span : e.kernels()) {
    switch (e.trace.Traits(span.slice).category) {
      case KernelCategory::kElementwise:
      case KernelCategory::kNormalization:
      case KernelCategory::kReduction:
      case KernelCategory::kSoftmax:
      case KernelCategory::kPooling:
      case KernelCategory::kTranspose:
        bound.push_back(span);
        break;
      default:
        break;
    }
  }
  const DurationNs time = TimeOf(e, bound);
  const DurationNs busy = e.busy_time();
  const double of_busy =
      busy.ns == 0 ? 0 : static_cast<double>(time.ns) / static_cast<double>(busy.ns);
  if (of_busy < 0.5 || e.Share(time) < e.limits[Limit::kMemoryBoundShare]) return Quiet{};
  Fires fires;
  fires.title = Say("kernels-memory-bound.title", OfEachStep(e, time));
  fires.sentence = Say("kernels-memory-bound.because", of_busy);
  fires.saving_hi = time;
  fires.changes = ChangesOf(bound, ChangeType::kScale, 0.75);
  // Where nothing says which of them could be joined, that is all there is to say.
  fires.at_most = FindingSeverity::kLow;
  fires.lo_means = Say("kernels-memory-bound.lo");
  fires.hi_means = Say("kernels-memory-bound.hi");
  fires.confidence = Confidence::kLow;
  fires.evidence = e.Longest(bound);
  return fires;
}

// When any thread runs an op of that name, per step.
DurationNs UnionOfOp(const Evidence& e, StringId name) {
  const Slices& slices = e.trace.slices;
  std::vector<Interval> times;
  for (uint32_t s = 0; s < slices.size(); ++s) {
    if (slices.name[s] == name && slices.kind[s] == Kind::kOp) {
      times.push_back({slices.start[s], slices.end(s)});
    }
  }
  return e.PerStep(IntervalSet::Of(std::move(times)));
}

RuleVerdict HotOp(const Evidence& e) {
  StringId hottest = kEmptyString;
  DurationNs most{};
  bool named_by_device = false;
  for (const StringId name : e.names()) {
    const NameTotal& total = e.Total(name);
    const DurationNs time = e.has_device_work() ? total.launched : DurationNs{};
    if (time > most || (time == most && time.ns > 0 && e.Name(name) < e.Name(hottest))) {
      most = time;
      hottest = name;
    }
  }
  // XLA's device work is not launched by an op of its own: it is named after the instruction.
  for (const StringId name : e.names()) {
    if (most.ns > 0 && !named_by_device) break;
    const DurationNs time = e.Total(name).device;
    if (time > most || (time == most && time.ns > 0 && e.Name(name) < e.Name(hottest))) {
      most = time;
      hottest = name;
      named_by_device = true;
    }
  }
  if (!e.has_device_work()) {
    const std::vector<DurationNs> own = OwnTimeOfOps(e);
    for (const StringId name : e.names()) {
      const DurationNs time = own[Index(name)];
      if (time > most || (time == most && time.ns > 0 && e.Name(name) < e.Name(hottest))) {
        most = time;
        hottest = name;
      }
    }
  }
  // Several threads or streams run the op at the same time: the sum is no time of the step.
  const DurationNs beside = e.has_device_work() ? e.busy_time() : UnionOfOp(e, hottest);
  const DurationNs time = std::min(e.PerStep(most), beside);
  if (hottest == kEmptyString || e.Share(time) < e.limits[Limit::kHotOp]) return Quiet{};
  Fires fires;
  fires.gate = true;  // a fact, not advice by itself
  fires.at_most = FindingSeverity::kNote;
  fires.title = Say("hot-op-dominates.title", e.Name(hottest), OfEachStep(e, time));
  fires.sentence = Say("hot-op-dominates.because", DurationNs{time.ns / 2});
  return fires;
}

// An in-place add below the span: the gradient was there already.
bool AddsInside(const Evidence& e, uint32_t slice) {
  const TimeNs end = e.trace.slices.end(slice);
  const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(slice))].slices;
  for (uint32_t s = slice + 1; s < rows.last && e.trace.slices.start[s] < end; ++s) {
    if (Has(e.Tags(e.trace.slices.name[s]), NameTag::kAddInPlace)) return true;
  }
  return false;
}

// The outermost spans of the backward thread after the last of these gradients in each step: layers
// before all that is trained.
std::vector<StepSpan> BackwardAfter(const Evidence& e, std::span<const StepSpan> trained) {
  const Slices& slices = e.trace.slices;
  std::vector<SliceId> last(e.step_count(), kNoSlice);
  for (const StepSpan& span : trained) {
    SliceId& latest = last[span.window];
    if (latest == kNoSlice || slices.end(span.slice) > slices.end(Index(latest))) {
      latest = SliceId{span.slice};
    }
  }
  std::vector<StepSpan> after;
  for (uint32_t w = 0; w < e.step_count(); ++w) {
    if (last[w] == kNoSlice) continue;
    const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(Index(last[w])))].slices;
    const TimeNs from = slices.end(Index(last[w]));
    for (uint32_t s = Index(last[w]) + 1; s < rows.last; ++s) {
      if (slices.start[s] >= e.windows()[w].host.end) break;
      const bool backward = e.trace.Traits(s).backward ||
                            Has(e.Tags(slices.name[s]), NameTag::kBackward) ||
                            Has(e.Tags(slices.name[s]), NameTag::kAccumulateGrad);
      if (slices.start[s] >= from && slices.kind[s] == Kind::kOp && backward) {
        after.push_back({s, w});
      }
    }
  }
  return Outermost(e, after);
}

RuleVerdict FrozenLayers(const Evidence& e) {
  if (e.graph != nullptr) {
    const std::vector<std::string> gradients = FrozenGradients(*e.graph);
    if (gradients.empty()) return Quiet{};
    Fires fires;
    fires.gate = true;
    fires.at_most = FindingSeverity::kMedium;
    fires.title = Say("frozen-layers-differentiated.graph", gradients.size(), gradients.front());
    fires.sentence = Say("frozen-layers-differentiated.graph.because");
    return fires;
  }
  if (e.trace.facts.format == Format::kRunMetadata) return NeedsGraph();
  // Without a graph: an optimizer clears the gradients it applies, so the next one is stored;
  // gradients that nobody clears are added to. Only with one backward pass per step can this be
  // told from accumulation over micro-batches.
  std::vector<StepSpan> stored;
  std::vector<StepSpan> added;
  for (const StepSpan& span : Outermost(e, e.HostSpans(NameTag::kAccumulateGrad))) {
    (AddsInside(e, span.slice) ? added : stored).push_back(span);
  }
  const bool optimizer = std::any_of(e.names().begin(), e.names().end(), [&](StringId name) {
    return e.trace.traits[Index(name)].optimizer;
  });
  if (!optimizer || stored.empty() || added.empty()) return Quiet{};
  const std::vector<StepSpan> sure = BackwardAfter(e, stored);
  std::vector<StepSpan> parts = sure;
  parts.insert(parts.end(), added.begin(), added.end());
  const DurationNs hi = UnionOf(e, Outermost(e, parts));
  if (e.Share(hi) < e.limits[Limit::kFrozenShare]) return Quiet{};
  Fires fires;
  fires.title =
      Say("frozen-layers-differentiated.title", static_cast<double>(added.size()) / e.step_count(),
          static_cast<double>(added.size() + stored.size()) / e.step_count());
  fires.sentence = Say("frozen-layers-differentiated.because");
  fires.saving_hi = std::min(hi, e.step());
  // Frozen layers before the first trained one need no backward pass at all. Between trained ones
  // only their own gradients go.
  fires.changes = ChangesOf(sure.empty() ? added : sure, ChangeType::kRemove);
  fires.changes_most = ChangesOf(Outermost(e, parts), ChangeType::kRemove);
  // With the spans goes what the engine does between them.
  for (size_t i = 1; i < sure.size(); ++i) {
    const Interval between{e.trace.slices.end(sure[i - 1].slice),
                           e.trace.slices.start[sure[i].slice]};
    if (sure[i].window != sure[i - 1].window || between.length().ns <= 0) continue;
    const Change cut{
        .slice = SliceId{sure[i].slice}, .type = ChangeType::kCutTime, .time = between};
    fires.changes.push_back(cut);
    fires.changes_most.push_back(cut);
  }
  fires.confidence = Confidence::kHigh;
  fires.evidence = e.Longest(added);
  return fires;
}

RuleVerdict BatchTooSmall(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  const Device& device = *e.device_facts();
  const MemoryRow* memory = nullptr;
  for (const MemoryRow& row : e.report.memory) {
    if (row.type == DeviceType::kGpu && row.device == device.index) memory = &row;
  }
  if (memory == nullptr || !memory->peak_allocated_bytes) return NeedsMemory();
  if (!device.memory_bytes) return NeedsMemorySize();
  const double used = static_cast<double>(*memory->peak_allocated_bytes) /
                      static_cast<double>(*device.memory_bytes);
  const bool launch_bound =
      e.Share(e.Idle(Cause::kLaunch) + e.Idle(Cause::kHostOp)) >= e.limits[Limit::kLaunchModerate];
  // A larger batch is also more input, more Python and more compilation: it helps only where the
  // idle time is that of launches.
  const DurationNs idle_time = std::max(e.step() - e.busy_time(), DurationNs{});
  const DurationNs launches = e.Idle(Cause::kLaunch) + e.Idle(Cause::kHostOp);
  if (used >= e.limits[Limit::kBatchMemory] ||
      e.utilization() >= e.limits[Limit::kBatchUtilization] || !launch_bound || InputBound(e) ||
      launches.ns * 2 < idle_time.ns) {
    return Quiet{};
  }
  // A batch that fills the device takes as long as this one while the host is the limit.
  Fires fires;
  fires.title = Say("batch-too-small.title", used, e.utilization());
  fires.sentence = Say("batch-too-small.because");
  fires.saving_hi = idle_time;
  fires.at_most = FindingSeverity::kLow;
  fires.confidence = Confidence::kLow;
  fires.saving_note = Say("batch-too-small.note");
  return fires;
}

constexpr std::array kRules{
    Rule{"tensor-cores-unused", RuleGroup::kKernels, "", TensorCoresUnused},
    Rule{"tf32-disabled", RuleGroup::kKernels, "tensor-cores-unused", Tf32Disabled},
    Rule{"gemm-dims-misaligned", RuleGroup::kKernels, "", GemmMisaligned},
    Rule{"conv-layout-nonpreferred", RuleGroup::kKernels, "layout-transpose-overhead", ConvLayout},
    Rule{"layout-transpose-overhead", RuleGroup::kKernels, "", LayoutTranspose},
    Rule{"low-sm-efficiency", RuleGroup::kKernels, "", LowSmEfficiency},
    Rule{"kernels-memory-bound", RuleGroup::kKernels, "", KernelsMemoryBound, Role::kSymptom},
    Rule{"hot-op-dominates", RuleGroup::kKernels, "", HotOp},
    Rule{"frozen-layers-differentiated", RuleGroup::kKernels, "", FrozenLayers},
    Rule{"batch-too-small", RuleGroup::kKernels, "", BatchTooSmall, Role::kSymptom},
};

}  // namespace

std::span<const Rule> KernelRules() { return kRules; }

}  // namespace stepscope
